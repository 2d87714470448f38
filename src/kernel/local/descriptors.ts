/**
 * Whether this process can still open what a kernel needs. Asked before a start, because Bun reports a socket for which there
 * was no descriptor as "connection refused": that looks like a kernel that is still starting, until the time limit.
 */

import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";

/** Four sockets, the log, the pipes of a fork server, and room for what happens to be open for a moment. */
const FOR_ONE_KERNEL = 16;

/** Throws the system's own error (EMFILE, ENFILE) when it cannot. */
export function checkDescriptors(): void {
  const opened: number[] = [];
  try {
    while (opened.length < FOR_ONE_KERNEL) opened.push(openSync(devNull, "r"));
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
}
