/**
 * What changed in the project's files since a session began, compared with the last commit: also what commands, cells and the user's own
 * editor did. Git is run only in a repository that names no programs of its own.
 */

import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isPlainRepository } from "../shell/safety/git-repository.ts";

/** No one reads more. */
const MAX_NEW_FILES = 100;
const MAX_BYTES = 4_000_000;
/** What git calls a commit without files. */
const NO_FILES = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

export interface DiffPlace {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  /** When the session began. */
  readonly since: number;
}

/** @returns a unified diff, empty when nothing changed; undefined where git cannot tell. */
export async function sessionDiff(place: DiffPlace): Promise<string | undefined> {
  if (!isPlainRepository(place.root)) return undefined;
  // Git's list has paths from there.
  const top = (await runGit(["rev-parse", "--show-toplevel"], place.root, place.env))?.trim();
  if (!top) return undefined;
  const git = async (...args: readonly string[]) => (await runGit(args, top, place.env)) ?? "";
  const list = ["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"];
  const status = await git(...list, "--", place.root);
  const changed = status
    .split("\0")
    .filter((line) => line !== "")
    .map((line) => ({ isNew: line.startsWith("??"), path: line.slice(3) }));
  const recent = changed.filter(({ path }) => changedAt(join(top, path)) >= place.since);
  const tracked = recent.filter(({ isNew }) => !isNew).map(({ path }) => path);
  const base = (await git("rev-parse", "--verify", "--quiet", "HEAD")).trim() || NO_FILES;
  const parts = [tracked.length === 0 ? "" : await git("diff", base, "--", ...tracked)];
  for (const { path } of recent.filter(({ isNew }) => isNew).slice(0, MAX_NEW_FILES))
    parts.push(await git("diff", "--no-index", "--", "/dev/null", path));
  return parts.join("");
}

/** Of a file that is gone: when its directory lost it. */
function changedAt(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.mtimeMs ?? (dirname(path) === path ? 0 : changedAt(dirname(path)));
}

/** Undefined when git is missing, or this is not a repository. */
async function runGit(
  args: readonly string[],
  cwd: string,
  env: DiffPlace["env"],
): Promise<string | undefined> {
  const git = Bun.which("git", { PATH: env["PATH"] ?? "" });
  if (git === null) return undefined;
  const [command = "", ...rest] = args;
  const safe = command === "diff" ? ["--no-ext-diff", "--no-textconv", "--no-color"] : [];
  const child = Bun.spawn([git, "-c", "core.quotePath=false", command, ...safe, ...rest], {
    cwd,
    env: { ...env, GIT_OPTIONAL_LOCKS: "0", LC_ALL: "C" },
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: MAX_BYTES,
  });
  const text = await child.stdout.text();
  const exitCode = await child.exited;
  // A difference is 1 for `--no-index`; a question of HEAD without commits is, too, and has no text.
  return exitCode > 1 ? undefined : text;
}
