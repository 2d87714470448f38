/**
 * The private directory that holds the connection files and sockets of this omp's kernels:
 *
 *   <base>/omp-<uid>/<pid>-<random>/k1/{kernel.json, s-1 … s-5, kernel.log}
 *
 * A kernel in a sandbox can write only what is its own: k1/files, or forked/k1 for the kernels of a fork server, which share a sandbox.
 * What omp itself relies on stays in k1.
 *
 * Owns its creation and removal, and the sweep of what an omp that was killed together with its watchdog left behind.
 */

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { isAlive } from "../../process/identity.ts";
import { sharedWatchdog } from "../../process/watchdog.ts";
import { attempt, systemCode } from "../../protocol/index.ts";
import { KernelError } from "../errors.ts";

/** Unix socket paths end at 104 bytes on macOS and 108 on Linux; what we append below the directory needs some of it. */
const MAX_DIRECTORY_BYTES = 104 - "/forked/k9999/s-5".length - 1;

export interface KernelDirectory {
  /** What omp keeps about the kernel. */
  readonly directory: string;
  /** Where the kernel's own files are written … */
  readonly made: string;
  /** … and where the kernel finds them, after `handOver`. */
  readonly files: string;
  handOver(): void;
  remove(): void;
}

export class RuntimeDirectory {
  readonly path: string;
  /** Whether socket paths in here fit into an address. */
  readonly holdsSockets: boolean;
  readonly #release: () => void;
  #kernels = 0;

  /** Takes the first base that can be used, preferring those where socket paths fit. */
  constructor(bases: readonly string[]) {
    this.path = makeDirectory(bases);
    this.holdsSockets = Buffer.byteLength(this.path) <= MAX_DIRECTORY_BYTES;
    this.#release = sharedWatchdog().guardDirectory(this.path);
  }

  /** Where the fork server's kernels have theirs, all of which can write it. */
  get forked(): string {
    const path = join(this.path, "forked");
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  }

  /** A new directory for one kernel. */
  kernelDirectory(kind: "own" | "confined" | "forked"): KernelDirectory {
    this.#kernels += 1;
    const name = `k${this.#kernels}`;
    const directory = join(this.path, name);
    mkdirSync(directory, { mode: 0o700 });
    const made = kind === "own" ? directory : join(directory, "files");
    if (kind !== "own") mkdirSync(made, { mode: 0o700 });
    const files = kind === "forked" ? join(this.forked, name) : made;
    return {
      directory,
      made,
      files,
      // Moved when it is complete: another kernel could put a link in the way of what is written there.
      handOver: () => (files === made ? undefined : renameSync(made, files)),
      remove: () => {
        for (const path of [files, directory]) rmSync(path, { recursive: true, force: true });
      },
    };
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
    // The last one leaves nothing behind: a directory with something in it cannot be removed this way.
    const shared = dirname(this.path);
    if (basename(shared) === sharedName()) attempt(() => rmdirSync(shared));
    this.#release();
  }
}

function makeDirectory(bases: readonly string[]): string {
  let problem: unknown;
  for (const base of [...bases.filter(hasShortName), ...bases]) {
    try {
      return makeIn(base);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      problem = error;
    }
  }
  const issue = `no directory for the kernel's sockets can be made in ${bases.join(", ")}`;
  const code = systemCode(problem) ?? "ENOENT";
  throw new KernelError({ kind: "start-failed", issue, code }, { cause: problem });
}

/** Another omp that has just ended may take the shared directory away before there is something in it. */
const MAX_TRIES = 5;

function makeIn(base: string, tries = 1): string {
  const shared = ownDirectory(base);
  if (shared === undefined) return mkdtempSync(join(base, `omp-${process.pid}-`));
  try {
    sweep(shared);
    return mkdtempSync(join(shared, `${process.pid}-`));
  } catch (error) {
    if (systemCode(error) !== "ENOENT" || tries === MAX_TRIES) throw error;
    return makeIn(base, tries + 1);
  }
}

function sharedName(): string {
  return `omp-${userId()}`;
}

function hasShortName(base: string): boolean {
  const longest = join(base, sharedName(), `${process.pid}-XXXXXX`);
  return Buffer.byteLength(longest) <= MAX_DIRECTORY_BYTES;
}

/** `<base>/omp-<uid>`, unless another user made it first: in /tmp anyone may. */
function ownDirectory(base: string): string | undefined {
  const path = join(base, sharedName());
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return ownDirectory(base);
    if (!found.isDirectory() || found.uid !== userId()) return undefined;
    if ((found.mode & 0o077) !== 0) chmodSync(path, 0o700);
  }
  return path;
}

/** Removes the directories of omps that have ended. Their kernels ended by themselves: they watch their parent. */
function sweep(shared: string): void {
  for (const name of readdirSync(shared)) {
    const pid = Number.parseInt(name, 10);
    if (!(pid > 0) || isAlive(pid)) continue;
    // What cannot be removed must not keep a kernel from starting.
    attempt(() => rmSync(join(shared, name), { recursive: true, force: true }));
  }
}

function userId(): number {
  return process.getuid?.() ?? 0;
}
