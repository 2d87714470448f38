/**
 * One omp a session: the system's own lock on the log. It is given back however the process ends, and of two who ask at the same
 * time exactly one gets it: a file that names its owner can promise neither.
 */

import { dlopen, FFIType } from "bun:ffi";
import { systemCode } from "../protocol/index.ts";
import { SessionError } from "./errors.ts";
import { readSession } from "./read.ts";

/** The same numbers on Linux and macOS. */
const LOCK_EX = 2;
const LOCK_NB = 4;

/** Locks an open log until it is closed. Throws when another omp has it. */
export function lockSession(
  file: number,
  { id, path }: { readonly id: string; readonly path: string },
): void {
  if (tryLock(file)) return;
  const owner = ownerOf(path);
  const who = owner === undefined ? "another omp" : `another omp (pid ${owner})`;
  const issue = `session ${id} is open in ${who}; --fork ${id} works on a copy`;
  throw new SessionError({ kind: "in-use", issue, code: "IN_USE" });
}

function tryLock(file: number): boolean {
  flock ??= openFlock();
  return flock(file, LOCK_EX | LOCK_NB) === 0;
}

let flock: ((file: number, operation: number) => number) | undefined;

/** Bun has no call for it. */
function openFlock(): (file: number, operation: number) => number {
  const signature = { flock: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 } } as const;
  const machine = process.arch === "arm64" ? "aarch64" : "x86_64";
  const libraries =
    process.platform === "darwin" ? ["libSystem.B.dylib"] : ["libc.so.6", `libc.musl-${machine}.so.1`];
  const problems: unknown[] = [];
  for (const library of libraries) {
    try {
      return dlopen(library, signature).symbols.flock;
    } catch (error) {
      problems.push(error);
    }
  }
  throw new AggregateError(problems, "the system's flock was not found");
}

/** Between taking the lock and saying so in the log an owner needs a moment. */
const LOOKS = 20;
const LOOK_AGAIN_MS = 5;

/** Who said last that it works on the session. */
function ownerOf(path: string): number | undefined {
  for (let look = 0; look < LOOKS; look += 1) {
    const last = readSession(path).entries.findLast(({ type }) => type === "opened" || type === "closed");
    if (last?.type === "opened" && isAlive(last.pid)) return last.pid;
    Bun.sleepSync(LOOK_AGAIN_MS);
  }
  return undefined;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === "EPERM";
  }
}
