/**
 * `gateway.lock`: one omp at a time starts, replaces or stops the shared gateway. The lock is the system's own on the open file, so a
 * killed owner leaves none. What the file says is for people and for those who wait: who works on it, and that it still does.
 */

import {
  closeSync,
  constants,
  fstatSync,
  futimesSync,
  openSync,
  readFileSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { tryLock } from "../../../process/file-lock.ts";
import { systemCode } from "../../../protocol/index.ts";
import { KernelError } from "../../errors.ts";

const OWNER_LENGTH = 32;
const POLL_MS = 25;
const HEARTBEAT_MS = 1000;
/** Without a heartbeat for so long the owner is stopped, or does not come to its work. */
const SILENCE_MS = 15_000;

export interface LockOptions<T> {
  readonly directory: string;
  readonly signal: AbortSignal;
  /** 15 s. */
  readonly silenceMs?: number | undefined;
  /** Asked while another has the lock: what makes the work, and so the lock, needless. */
  readonly meanwhile?: () => Promise<T | undefined>;
}

export async function withGatewayLock<T>(options: LockOptions<T>, work: () => Promise<T>): Promise<T> {
  const lock = await lockOrFind(options);
  if ("found" in lock) return lock.found;
  const { file } = lock;
  let heart: Timer | undefined;
  try {
    // Always as long, so that nothing of the one before is left.
    writeSync(file, JSON.stringify({ pid: process.pid }).padEnd(OWNER_LENGTH), 0);
    heart = setInterval(() => touch(file), HEARTBEAT_MS);
    return await work();
  } finally {
    clearInterval(heart);
    closeSync(file);
  }
}

function touch(file: number): void {
  const now = new Date();
  try {
    futimesSync(file, now, now);
  } catch (error) {
    // Those who wait will believe that we do not go on, and say so: better than to end in a timer.
    if (systemCode(error) === undefined) throw error;
  }
}

async function lockOrFind<T>(
  options: LockOptions<T>,
): Promise<{ readonly file: number } | { readonly found: T }> {
  const { directory, signal, silenceMs = SILENCE_MS, meanwhile } = options;
  const path = join(directory, "gateway.lock");
  let silence = { since: Date.now(), beat: 0 };
  for (;;) {
    signal.throwIfAborted();
    const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    // A file that was removed while we waited for it protects nothing.
    if (tryLock(file) && statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(file).ino)
      return { file };
    const [beat, text] = [fstatSync(file).mtimeMs, readFileSync(file, "utf8")];
    closeSync(file);
    if (beat !== silence.beat) silence = { since: Date.now(), beat };
    const found = await meanwhile?.();
    if (found !== undefined) return { found };
    if (Date.now() - silence.since > silenceMs) throw silent(path, text);
    await Bun.sleep(POLL_MS);
  }
}

function silent(path: string, text: string): KernelError {
  const pid = /"pid":(\d+)/.exec(text)?.[1] ?? "unknown";
  const issue = `another omp (pid ${pid}) has locked ${path} and does not go on; continue it with: kill -CONT ${pid}; or end it with: kill -KILL ${pid}`;
  return new KernelError({ kind: "start-failed", issue, code: "GATEWAY_LOCKED" });
}
