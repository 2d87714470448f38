/** What keeps a kernel on this machine from starting: no descriptors, no processes, no room on the disk. */

import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { systemCode } from "../../protocol/index.ts";
import { KernelError } from "../errors.ts";
import type { RuntimeDirectory } from "./runtime-directory.ts";

/** In omp, for one kernel: four sockets, the log, the pipes of a fork server, and room for what happens to be open for a moment. */
const OWN_DESCRIPTORS = 16;

/**
 * Throws the system's own error (EMFILE, ENFILE) when this process cannot open what a kernel needs. Bun reports a socket for which there
 * is no descriptor as "connection refused", which looks like a kernel that is still starting, until the time limit.
 */
export function checkDescriptors(): void {
  const opened: number[] = [];
  try {
    while (opened.length < OWN_DESCRIPTORS) opened.push(openSync(devNull, "r"));
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}

export function isExhaustion(error: unknown): boolean {
  const code = systemCode(error) ?? "";
  return ["EMFILE", "ENFILE", "EAGAIN", "ENOMEM"].includes(code);
}

/** A full disk and its like, in one line. */
export function writing<T>({ path }: Pick<RuntimeDirectory, "path">, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw isExhaustion(error) ? error : unwritableError(error, path);
  }
}

function unwritableError(cause: unknown, directory: string): unknown {
  const code = systemCode(cause);
  if (code === undefined) return cause;
  const isFull = code === "ENOSPC" || code === "EDQUOT";
  const advice = isFull
    ? "free some space, or set TMPDIR to a directory on another disk"
    : "set TMPDIR to another directory";
  const issue = `the kernel's files cannot be written to '${directory}'; ${advice}`;
  return new KernelError({ kind: "start-failed", issue, code }, { cause });
}

export function exhaustedError(cause: unknown): KernelError {
  const issue = `no room for another kernel: ${cause instanceof Error ? cause.message : String(cause)}`;
  return new KernelError({ kind: "exhausted", issue, code: systemCode(cause) ?? "EMFILE" }, { cause });
}
