/**
 * One builder at a time for a thing on disk. Only saves double work: what is built is made aside and renamed into
 * place, so two builders that both believed they had the lock would still not trample each other.
 *
 * The lock is a file created with O_EXCL that names its owner. An owner that is gone (killed, machine restarted)
 * does not count.
 */

import { linkSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { identityOf, isRunning } from "../process/identity.ts";
import { systemCode } from "../protocol/error.ts";

const pollMs = 100;

export interface LockOptions {
  readonly file: string;
  readonly signal: AbortSignal;
  /** Called once, when somebody else is at work. */
  readonly onWait: (ownerPid: number) => void;
}

/** Waits for the lock; resolves with what gives it back. */
export async function takeLock({ file, signal, onWait }: LockOptions): Promise<() => void> {
  const mine = JSON.stringify(identityOf(process.pid));
  let told = false;
  for (;;) {
    signal.throwIfAborted();
    if (createExclusively(file, mine)) return () => release(file, mine);

    const owner = readOwner(file);
    if (owner === undefined) continue;
    if (!ownerLives(owner)) {
      breakLock(file, owner);
      continue;
    }
    if (!told) onWait(ownerPid(owner) ?? 0);
    told = true;
    await Bun.sleep(pollMs);
  }
}

function createExclusively(file: string, content: string): boolean {
  // Written aside and linked, so that nobody ever reads a lock without an owner in it.
  const aside = `${file}.${process.pid}`;
  writeFileSync(aside, content, { mode: 0o600 });
  try {
    linkSync(aside, file);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  } finally {
    unlinkSync(aside);
  }
}

function readOwner(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function ownerPid(owner: string): number | undefined {
  return parseOwner(owner)?.pid;
}

function ownerLives(owner: string): boolean {
  const parsed = parseOwner(owner);
  return parsed !== undefined && isRunning(parsed);
}

function parseOwner(owner: string): { pid: number; started: string | undefined } | undefined {
  const match = /^\{"pid":(\d+)(?:,"started":"([^"]*)")?\}$/.exec(owner);
  return match?.[1] === undefined ? undefined : { pid: Number(match[1]), started: match[2] };
}

/** Takes a dead owner's lock away. What was renamed may by now be a living owner's: then it is put back. */
function breakLock(file: string, deadOwner: string): void {
  const aside = `${file}.${process.pid}.stale`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return;
    throw error;
  }
  if (readOwner(aside) !== deadOwner) createFrom(aside, file);
  rmSync(aside, { force: true });
}

function createFrom(aside: string, file: string): void {
  try {
    linkSync(aside, file);
  } catch (error) {
    // Somebody took the free place in between; see the header for why two owners do no harm.
    if (systemCode(error) !== "EEXIST") throw error;
  }
}

function release(file: string, mine: string): void {
  if (readOwner(file) === mine) rmSync(file, { force: true });
}
