/**
 * Keeps this process's memory and environment, and with them the user's keys, from the programs that it starts: they run as the same
 * user, and could otherwise read `/proc/<pid>/environ` and `/proc/<pid>/mem`, or attach a debugger. A program that is started gets the
 * kernel's default back. Linux only: macOS lets no process do this without an entitlement, and protects its own way.
 */

import { FFIType } from "bun:ffi";
import { once } from "../async/once.ts";
import { openLibc } from "./libc.ts";

const PR_SET_DUMPABLE = 4;

/** Call before the first program is started. Root can still read everything. */
export const keepMemoryPrivate = once(() => {
  if (process.platform !== "linux") return;
  const { i32, u64 } = FFIType;
  const { prctl } = openLibc({ prctl: { args: [i32, u64, u64, u64, u64], returns: i32 } });
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}).get;
