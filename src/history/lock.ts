/** One omp a session: a lock on its log. */

import { tryLock } from "../process/file-lock.ts";
import { isAlive } from "../process/identity.ts";
import { SessionError } from "./errors.ts";
import { readSession } from "./read.ts";

/** Locks an open log until it is closed. Throws when another omp has it. */
export function lockSession(
  file: number,
  { id, path }: { readonly id: string; readonly path: string },
): void {
  if (tryLock(file)) return;
  const owner = ownerOf(path);
  const who = owner === undefined ? "another omp" : `another omp (pid ${owner})`;
  const issue = `session ${id} is open in ${who}; close it there, or continue in a copy: omp --fork ${id}`;
  throw new SessionError({ kind: "in-use", issue, code: "IN_USE" });
}

/** Between taking the lock and saying so in the log an owner needs a moment. */
const LOOKS = 20;
const LOOK_AGAIN_MS = 5;

/** The process that opened the session last, if it still runs. */
function ownerOf(path: string): number | undefined {
  for (let look = 0; look < LOOKS; look += 1) {
    const last = readSession(path).entries.findLast(({ type }) => type === "opened" || type === "closed");
    if (last?.type === "opened" && isAlive(last.pid)) return last.pid;
    Bun.sleepSync(LOOK_AGAIN_MS);
  }
  return undefined;
}
