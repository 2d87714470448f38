/** Keeps what snapshots take on disk within limits: the oldest go first, and git packs what is left. Runs in the background of a session. */

import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openLockFile, removeLockFile } from "../process/file-lock.ts";
import { attempt } from "../protocol/index.ts";
import { WorktreeError } from "./errors.ts";
import { isDirectory } from "./place.ts";
import type { ShadowGit } from "./shadow-git.ts";
import { SnapshotStore } from "./snapshot-store.ts";

export interface Retention {
  readonly maxAgeMs: number;
  /** Of each project's snapshots. */
  readonly maxTotalBytes: number;
}

export interface Maintenance {
  /** Where the snapshots of all projects are. */
  readonly base: string;
  readonly own: SnapshotStore;
  readonly git: ShadowGit;
  readonly retention: Retention;
  readonly signal: AbortSignal;
}

const MS_PER_DAY = 86_400_000;
/** Contents that nothing refers to may belong to a snapshot that another omp is about to take. */
const UNUSED_FOR = "2.hours.ago";
/** Single files that git keeps before they are packed, by its own rule of thumb. */
const MOST_LOOSE = 6_700;
/** Of the snapshots at a time, when they take too much. */
const SHARE_TO_REMOVE = 0.25;

/** Never throws for what the disk can cause: it is tried again with the next session. */
export async function maintain(work: Maintenance): Promise<void> {
  const { base, own, git, retention, signal } = work;
  const stamp = join(own.directory, "maintained");
  // Nothing to do in a new one.
  if (!existsSync(stamp)) return touchFile(stamp);
  const isDue = ageOf(stamp) > MS_PER_DAY;
  if (!isDue && looseObjects(own.git) < MOST_LOOSE) return;
  const lockPath = join(own.directory, "maintenance.lock");
  const lock = attempt(() => openLockFile(lockPath));
  if (lock === undefined) return;
  try {
    removeOld(own, retention.maxAgeMs);
    for (const store of storesIn(base))
      if (store.directory !== own.directory) removeUnused(store, retention.maxAgeMs);
    await pack(git, signal);
    for (
      let round = 0;
      round < 10 && bytesIn(own.directory) > retention.maxTotalBytes && !signal.aborted;
      round += 1
    ) {
      removeOldest(own);
      await pack(git, signal);
    }
    touchFile(stamp);
  } catch (error) {
    if (!(error instanceof WorktreeError)) throw error;
  } finally {
    attempt(() => removeLockFile(lockPath, lock));
  }
}

async function pack(git: ShadowGit, signal: AbortSignal): Promise<void> {
  await git.run(["repack", "-a", "-d", "-q"], { signal });
  await git.run(["prune", `--expire=${UNUSED_FOR}`], { signal });
}

function storesIn(base: string): SnapshotStore[] {
  return (attempt(() => readdirSync(base)) ?? []).flatMap((name) => {
    const root = attempt(() => readFileSync(join(base, name, "root"), "utf8"))?.replace(/\n$/, "");
    return root === undefined ? [] : [new SnapshotStore(base, root)];
  });
}

function removeOld(store: SnapshotStore, maxAgeMs: number): void {
  const limit = Date.now() - maxAgeMs;
  for (const id of store.ids()) if (store.usedAt(id) < limit) store.remove(id);
}

/** Of a project that nobody has worked in for so long: its directory has a new entry with every session. */
function removeUnused(store: SnapshotStore, maxAgeMs: number): void {
  if (ageOf(store.git) > maxAgeMs) rmSync(store.directory, { recursive: true, force: true });
}

function removeOldest(store: SnapshotStore): void {
  const all = store.ids().sort((a, b) => store.usedAt(a) - store.usedAt(b));
  for (const id of all.slice(0, Math.ceil(all.length * SHARE_TO_REMOVE))) store.remove(id);
}

/** Counted in one of 256 directories, as git does. */
function looseObjects(repository: string): number {
  return (attempt(() => readdirSync(join(repository, "objects", "17"))) ?? []).length * 256;
}

function bytesIn(path: string): number {
  if (!isDirectory(path)) return attempt(() => statSync(path).size) ?? 0;
  return (attempt(() => readdirSync(path)) ?? []).reduce((sum, name) => sum + bytesIn(join(path, name)), 0);
}

function ageOf(path: string): number {
  const found = attempt(() => statSync(path, { throwIfNoEntry: false }));
  return found === undefined ? Number.POSITIVE_INFINITY : Date.now() - found.mtimeMs;
}

function touchFile(path: string): void {
  const now = new Date();
  attempt(() => writeFileSync(path, "", { mode: 0o600 }));
  attempt(() => utimesSync(path, now, now));
}
