/**
 * `gateway.lock`: one omp at a time starts, replaces or stops the shared gateway. A killed owner
 * leaves no lock (see file-lock.ts). While the owner works it touches the file, so that others can tell when it is suspended.
 */

import { closeSync, futimesSync, statSync } from "node:fs";
import { join } from "node:path";
import { lockOwner, openLockFile } from "../../../process/file-lock.ts";
import { attempt } from "../../../protocol/index.ts";
import { KernelError } from "../../errors.ts";

const POLL_MS = 25;
const HEARTBEAT_MS = 1000;
/** Without a heartbeat for this long, the owner counts as suspended. */
const SILENCE_MS = 15_000;

export interface LockOptions<T> {
  readonly directory: string;
  readonly signal: AbortSignal;
  /** 15 s. */
  readonly silenceMs?: number | undefined;
  /** Called while another process has the lock: a result makes the work, and so the lock, needless. */
  readonly meanwhile?: () => Promise<T | undefined>;
}

export async function withGatewayLock<T>(options: LockOptions<T>, work: () => Promise<T>): Promise<T> {
  const lock = await lockOrFind(options);
  if ("found" in lock) return lock.found;
  const { file } = lock;
  let heart: Timer | undefined;
  try {
    heart = setInterval(() => touch(file), HEARTBEAT_MS);
    return await work();
  } finally {
    clearInterval(heart);
    closeSync(file);
  }
}

function touch(file: number): void {
  const now = new Date();
  // On failure waiting processes will report that this one is suspended: better than an exception in a timer.
  attempt(() => futimesSync(file, now, now));
}

async function lockOrFind<T>(
  options: LockOptions<T>,
): Promise<{ readonly file: number } | { readonly found: T }> {
  const { directory, signal, silenceMs = SILENCE_MS, meanwhile } = options;
  const path = join(directory, "gateway.lock");
  let silence = { since: Date.now(), beat: 0 };
  for (;;) {
    signal.throwIfAborted();
    const file = openLockFile(path);
    if (file !== undefined) return { file };
    const beat = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (beat !== silence.beat) silence = { since: Date.now(), beat };
    const found = await meanwhile?.();
    if (found !== undefined) return { found };
    if (Date.now() - silence.since > silenceMs) throw gatewayLockedError(path);
    await Bun.sleep(POLL_MS);
  }
}

function gatewayLockedError(path: string): KernelError {
  const pid = lockOwner(path) ?? "unknown";
  const issue = `another omp (pid ${pid}) holds ${path} but is suspended; resume it with: kill -CONT ${pid}; or end it with: kill -KILL ${pid}`;
  return new KernelError({ kind: "start-failed", issue, code: "GATEWAY_LOCKED" });
}
