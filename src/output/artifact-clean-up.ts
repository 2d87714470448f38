/** Which artifacts go, and their removal. Touches only files named as the store names them. */

import { type Dirent, lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../process/identity.ts";
import { attempt, systemCode } from "../protocol/error.ts";

export interface CleanUpOptions {
  readonly directory: string;
  readonly maxTotalBytes: number;
  readonly maxAgeMs: number;
  /** Being written by this process. */
  readonly isOpen: (id: string) => boolean;
}

export interface CleanUpReport {
  readonly removed: number;
  readonly freedBytes: number;
  /** Codes of what could not be listed or removed. */
  readonly problems: readonly string[];
}

/** A file changed so recently may have a writer that cannot be seen from here (another machine, another container). */
const RECENT_MS = 60_000;

export function cleanUpArtifacts(options: CleanUpOptions): CleanUpReport {
  const now = Date.now();
  const problems: string[] = [];
  const { artifacts, strays } = listArtifacts(options, now, problems);
  let total = artifacts.reduce((sum, { bytes }) => sum + bytes, 0);
  let removed = 0;
  let freedBytes = 0;
  artifacts.sort((a, b) => a.changedMs - b.changedMs || (a.id < b.id ? -1 : 1));
  for (const { path, bytes, changedMs, inUse } of artifacts) {
    const goes = now - changedMs > options.maxAgeMs || total > options.maxTotalBytes;
    if (!goes || inUse || !remove(path, problems)) continue;
    total -= bytes;
    removed++;
    freedBytes += bytes;
  }
  for (const path of strays) remove(path, problems);
  return { removed, freedBytes, problems };
}

/** The artifacts, and the owner files that a crash left behind. */
function listArtifacts(options: CleanUpOptions, now: number, problems: string[]) {
  const artifacts: { id: string; path: string; bytes: number; changedMs: number; inUse: boolean }[] = [];
  const strays: string[] = [];
  for (const entry of listDirectory(options.directory, problems)) {
    const [, id, kind] = /^([a-z0-9]+)\.(log|pid)$/.exec(entry.name) ?? [];
    if (id === undefined || !entry.isFile()) continue;
    const path = join(options.directory, entry.name);
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (status === undefined) continue;
    const isRecent = now - status.mtimeMs < RECENT_MS;
    const isOwned = options.isOpen(id) || isOwnerAlive(join(options.directory, `${id}.pid`));
    if (kind === "log") {
      artifacts.push({ id, path, bytes: status.size, changedMs: status.mtimeMs, inUse: isOwned || isRecent });
    } else if (!isOwned && !isRecent) strays.push(path);
  }
  return { artifacts, strays };
}

function listDirectory(directory: string, problems: string[]): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    // No artifact was ever made: nothing to clean.
    if (code !== "ENOENT") problems.push(code);
    return [];
  }
}

function isOwnerAlive(ownerPath: string): boolean {
  const pid = Number(attempt(() => readFileSync(ownerPath, "utf8")));
  return Number.isSafeInteger(pid) && pid > 0 && isAlive(pid);
}

function remove(path: string, problems: string[]): boolean {
  try {
    rmSync(path, { force: true });
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    problems.push(code);
    return false;
  }
}
