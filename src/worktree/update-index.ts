/** Has git read what has changed. One file that it will not take does not keep it from the others. */

import { lstatSync } from "node:fs";
import { attempt } from "../protocol/index.ts";
import { WorktreeError } from "./errors.ts";
import type { Look } from "./look.ts";
import type { ShadowGit } from "./shadow-git.ts";

/** @returns the paths that git refuses. Throws WorktreeError. */
export async function updateIndex(
  git: ShadowGit,
  index: string,
  { add, remove }: Pick<Look, "add" | "remove">,
  signal: AbortSignal,
): Promise<string[]> {
  if (remove.length > 0)
    await git.run(["update-index", "--force-remove", "-z", "--stdin"], {
      index,
      signal,
      input: listed(remove),
    });
  return await addAll(git, index, add, signal);
}

/** Halves what fails until it is known which of the paths it is. */
async function addAll(
  git: ShadowGit,
  index: string,
  paths: readonly string[],
  signal: AbortSignal,
  isRepeated = false,
): Promise<string[]> {
  if (paths.length === 0) return [];
  try {
    // What has gone since is removed.
    const flags = ["--add", "--remove", "--replace", "-z", "--stdin"];
    await git.run(["update-index", ...flags], { index, signal, input: listed(paths) });
    return [];
  } catch (error) {
    if (!(error instanceof WorktreeError) || error.code !== "GIT") throw error;
    // While another git packs the repository, a directory that this one has just made may be removed again.
    if (paths.length === 1) return isRepeated ? [...paths] : await addAll(git, index, paths, signal, true);
    const middle = Math.ceil(paths.length / 2);
    return [
      ...(await addAll(git, index, paths.slice(0, middle), signal)),
      ...(await addAll(git, index, paths.slice(middle), signal)),
    ];
  }
}

/** What the project's own repository has is covered even if a rule ignores it, as git itself has it. */
export async function coverTracked(git: ShadowGit, index: string, projectIndex: string): Promise<void> {
  const flags = ["--cached", "--ignored", "--exclude-standard", "-z"];
  try {
    const { stdout } = await git.run(["ls-files", ...flags], { index: projectIndex });
    const top = Buffer.from(`${git.workTree}/`);
    const paths = stdout
      .toString("latin1")
      .split("\0")
      .filter((path) => path !== "" && isFile(Buffer.concat([top, Buffer.from(path, "latin1")])));
    await addAll(git, index, paths, new AbortController().signal);
  } catch (error) {
    // An index of a kind that only its own repository can read.
    if (!(error instanceof WorktreeError)) throw error;
  }
}

function isFile(path: Buffer): boolean {
  const found = attempt(() => lstatSync(path));
  return found?.isFile() === true || found?.isSymbolicLink() === true;
}

export function listed(paths: readonly string[]): Buffer {
  return Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1");
}
