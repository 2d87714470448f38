/**
 * Brings the files of a snapshot back. First everything is written to a directory beside them, so that a full disk is noticed before
 * anything has changed; then each file is put in its place by renaming. What the snapshot did not cover, and what is ignored, stays.
 */

import { randomBytes } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { systemCode } from "../protocol/index.ts";
import { nameOf, type RawChange, rawChanges } from "./changes.ts";
import { emptiesBetween } from "./empty-directories.ts";
import { WorktreeError } from "./errors.ts";
import { STAGING_PREFIX } from "./place.ts";
import { PutFiles } from "./put-files.ts";
import type { ShadowGit } from "./shadow-git.ts";
import type { NotCovered, Snapshot } from "./snapshot-store.ts";
import { listed } from "./update-index.ts";

export interface Restored {
  readonly written: number;
  readonly removed: number;
  /** What is not as it was, and why: a clause. Names are relative to the project. */
  readonly left: readonly { readonly name: string; readonly why: string }[];
  /** How many of those the system refused: the others were left on purpose. */
  readonly failed: number;
}

export interface RestorePlace {
  readonly git: ShadowGit;
  readonly root: string;
  readonly prefix: string;
  /** A directory for git's own list. */
  readonly scratch: string;
}

/** @param from a snapshot of the present files. Throws WorktreeError: nothing has changed then. */
export async function restoreSnapshot(place: RestorePlace, from: Snapshot, to: Snapshot): Promise<Restored> {
  const { git, prefix } = place;
  const left: { readonly path: string; readonly why: string }[] = [];
  const changes = (await rawChanges(git, from, to)).filter(({ path, status }) => {
    // Present, and in no snapshot: a large file that was small, a repository that was a directory.
    const why = reasonFor(path, status === "D" ? to : from);
    if (why !== undefined) left.push({ path, why });
    return why === undefined;
  });
  const [removals, writes] = [changes.filter(isRemoval), changes.filter((change) => !isRemoval(change))];
  const staging = await stage(place, to, writes);
  try {
    const put = new PutFiles({
      top: git.workTree,
      root: place.root,
      staging,
      modes: to.modes,
      empty: to.empty ?? [],
    });
    const isRule = ({ path }: RawChange) => /(?:^|\/)\.gitignore$/.test(path);
    // The rules of that moment decide what is left alone.
    for (const change of removals.filter(isRule)) put.remove(change.path);
    for (const change of writes.filter(isRule)) put.write(change);
    const rest = removals.filter((change) => !isRule(change)).map(({ path }) => path);
    const { make, remove } = emptiesBetween(from, to);
    const ignored = await ignoredAmong(git, [...rest, ...[...make, ...remove].map((path) => `${path}/`)]);
    const isIgnored = (directory: string) => ignored.has(`${directory}/`);
    for (const path of rest) {
      if (ignored.has(path)) left.push({ path, why: "it was ignored then" });
      else put.remove(path);
    }
    for (const path of remove) if (!isIgnored(path)) put.removeDirectory(path);
    for (const change of writes) if (!isRule(change)) put.write(change);
    for (const path of make) if (!isIgnored(path)) put.makeDirectory(path);
    const all = [...left, ...put.failed].map(({ path, why }) => ({ name: nameOf(path, prefix), why }));
    return { written: put.written, removed: put.removed, left: all, failed: put.failed.length };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function isRemoval({ status }: RawChange): boolean {
  return status === "D";
}

const reasons: Readonly<Record<NotCovered["why"], string>> = {
  large: "it is too large to be kept",
  repository: "it is in a repository of its own",
  unreadable: "it cannot be read",
  refused: "git does not take its name",
};

function reasonFor(path: string, { notCovered }: Snapshot): string | undefined {
  const found = notCovered.find((each) =>
    each.path.endsWith("/") ? path.startsWith(each.path) : path === each.path,
  );
  return found && reasons[found.why];
}

/** Writes what is needed to a directory in the project: renaming works only within a file system. @returns its path. */
async function stage(
  { git, root, scratch }: RestorePlace,
  { tree }: Snapshot,
  writes: readonly RawChange[],
): Promise<string> {
  const name = `${STAGING_PREFIX}${randomBytes(6).toString("hex")}`;
  const staging = join(root, name);
  const index = join(scratch, `index-${process.pid}-${name}`);
  try {
    mkdirSync(staging, { mode: 0o700 });
    await git.run(["read-tree", tree], { index });
    const prefix = `${relative(git.workTree, staging)}/`;
    const input = listed(writes.map(({ path }) => path));
    if (writes.length > 0)
      await git.run(["checkout-index", "-z", "--stdin", `--prefix=${prefix}`], { index, input });
    return staging;
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    const code = systemCode(error);
    if (code === undefined) throw error;
    const what = error instanceof WorktreeError ? error.issue : `${staging} cannot be made`;
    const issue = `${what}; no file was changed`;
    throw new WorktreeError({ kind: "blocked", issue, code }, { cause: error });
  } finally {
    rmSync(index, { force: true });
  }
}

/** Where git cannot tell, all of them: what might be needed is not removed. */
async function ignoredAmong(git: ShadowGit, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  // A colon at the beginning of a path would mean something else.
  const input = listed(paths.map((path) => `${HERE}${path}`));
  try {
    const { stdout } = await git.run(["check-ignore", "--no-index", "-z", "--stdin"], {
      input,
      answers: [1],
    });
    return new Set(
      stdout
        .toString("latin1")
        .split("\0")
        .map((path) => path.slice(HERE.length)),
    );
  } catch (error) {
    if (!(error instanceof WorktreeError)) throw error;
    return new Set(paths);
  }
}

const HERE = "./";
