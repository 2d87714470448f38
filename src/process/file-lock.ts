/**
 * The system's own lock on an open file. It is released however the process ends, and of two processes that ask at the same time
 * exactly one gets it: a lock that is a file with its owner's name in it can promise neither.
 */

import { FFIType, type Pointer, read } from "bun:ffi";
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { constants as osConstants } from "node:os";
import { systemCode } from "../protocol/index.ts";
import { openLibc } from "./libc.ts";

/** The same numbers on Linux and macOS. */
const LOCK_EX = 2;
const LOCK_NB = 4;

/** The owner is always written with the same length, so that nothing of the previous one is left. */
const OWNER_LENGTH = 32;

/**
 * Locks a file that exists only for that, creating it if need be, and writes into it which process has it, for messages.
 * @returns the open file, which holds the lock until it is closed; undefined when another process has it.
 */
export function openLockFile(path: string): number | undefined {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  let isOurs = false;
  try {
    // A file that was removed before we could lock it protects nothing.
    if (!tryLock(file) || statSync(path, { throwIfNoEntry: false })?.ino !== fstatSync(file).ino)
      return undefined;
    writeSync(file, JSON.stringify({ pid: process.pid }).padEnd(OWNER_LENGTH), 0);
    isOurs = true;
    return file;
  } finally {
    if (!isOurs) closeSync(file);
  }
}

/** Releases a lock and leaves no file behind. */
export function removeLockFile(path: string, file: number): void {
  try {
    rmSync(path, { force: true });
  } finally {
    closeSync(file);
  }
}

/** The process that has the lock; undefined when the file does not say, or not yet. */
export function lockOwner(path: string): number | undefined {
  try {
    return Number(/"pid":(\d+)/.exec(readFileSync(path, "utf8"))?.[1]) || undefined;
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
    return undefined;
  }
}

/**
 * Locks an open file until it is closed; false when another process has it.
 * @throws when the file cannot be locked at all, as on some network file systems: waiting for another process would never end.
 */
export function tryLock(file: number): boolean {
  system ??= openSystem();
  if (system.flock(file, LOCK_EX | LOCK_NB) === 0) return true;
  const problem = system.lastError();
  if (problem === osConstants.errno.EWOULDBLOCK) return false;
  const name =
    Object.entries(osConstants.errno).find(([, number]) => number === problem)?.[0] ?? `errno ${problem}`;
  throw Object.assign(new Error(`lock: the file system refused to lock a file (${name})`), { code: name });
}

interface System {
  flock(file: number, operation: number): number;
  lastError(): number;
}

let system: System | undefined;

function openSystem(): System {
  const { flock } = openLibc({ flock: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 } });
  const address = { args: [], returns: FFIType.ptr } as const;
  const errnoAddress =
    process.platform === "darwin"
      ? openLibc({ __error: address }).__error
      : openLibc({ __errno_location: address }).__errno_location;
  return { flock, lastError: () => read.i32(errnoAddress() as Pointer) };
}
