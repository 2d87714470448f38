/**
 * The system's own lock on an open file. It is given back however the process ends, and of two who ask at the same time exactly
 * one gets it: a file that names its owner can promise neither.
 */

import { dlopen, FFIType } from "bun:ffi";

/** The same numbers on Linux and macOS. */
const LOCK_EX = 2;
const LOCK_NB = 4;

/** Locks an open file until it is closed; false when another process has it. */
export function tryLock(file: number): boolean {
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
