/**
 * One program, run once, in a process group of its own: what `exec` and `python_run` share. Owns the process from spawn
 * to the last of its group; knows nothing of languages, limits or wording.
 *
 * The call ends when the *program* ends, not when its pipes do: a background child that keeps them open would hold the
 * call for as long as it lives. What it leaves running in its group is killed, and with `endsEverything` also what moved to a
 * session of its own (`setsid`). In a sandbox with process ids of its own nothing is left: everything ends with the program.
 */

import type { ReadableStreamDefaultReader } from "node:stream/web";
import { onAbort } from "../async/abort.ts";
import { within } from "../async/within.ts";
import { groupIsAlive, killGroup } from "./group.ts";
import { type SpawnOptions, spawnFresh } from "./spawn-fresh.ts";
import { Started } from "./started.ts";
import { Tag } from "./tagged.ts";
import { sharedWatchdog, type Watchdog } from "./watchdog.ts";

type PipeReader = ReadableStreamDefaultReader<Uint8Array>;

export interface FreshProcess extends SpawnOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called with each chunk as it arrives; must return at once. */
  readonly onStdout: (chunk: Uint8Array) => void;
  readonly onStderr: (chunk: Uint8Array) => void;
  readonly watchdog?: Watchdog;
  /** Also what left the program's session; its environment has one variable more for that. */
  readonly endsEverything?: boolean;
}

/**
 * How the program ended. Of timeout, cancellation and its own end the first wins: a program that ends by itself while a
 * timeout is on its way did not time out.
 */
export interface ProcessOutcome {
  /** Null when a signal ended it, or it was cancelled before it started. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  /** The program ended by itself and left processes running, which were killed. */
  readonly leftBehind: boolean;
}

/** Between SIGTERM and SIGKILL. */
const TERMINATION_GRACE_MS = 2000;
/** How long output is still read after the program's end, while something else holds its pipes. */
const OUTPUT_GRACE_MS = 250;
/** How long the pipes may take to close after the last of the group was killed. */
const DRAIN_MS = 100;

export async function runFresh(options: FreshProcess): Promise<ProcessOutcome> {
  const { signal, timeoutMs, watchdog = sharedWatchdog() } = options;
  const startedAt = performance.now();
  const durationMs = () => Math.round(performance.now() - startedAt);
  if (signal.aborted) {
    const nothing = { exitCode: null, signal: null, timedOut: false, leftBehind: false };
    return { ...nothing, cancelled: true, durationMs: 0 };
  }

  const leavesNothing = options.confinement?.hasOwnPids ?? false;
  const tag = options.endsEverything === true && !leavesNothing ? new Tag() : undefined;
  const child = spawnFresh({ ...options, env: { ...options.env, ...tag?.variable } });
  const started = new Started(child.pid, options.confinement);
  tag?.startsWith(child.pid);
  const release = watchdog.guardGroup(child.pid);
  let cause: "timeout" | "cancelled" | undefined;
  let killTimer: Timer | undefined;
  const terminate = (why: "timeout" | "cancelled") => {
    if (cause !== undefined || child.exitCode !== null || child.signalCode !== null) return;
    cause = why;
    tag?.signal("SIGTERM");
    started.signal("SIGTERM");
    // A stopped process acts on SIGTERM only when it is resumed.
    started.signal("SIGCONT");
    killTimer = setTimeout(() => started.kill(), TERMINATION_GRACE_MS);
  };
  const timeoutTimer = setTimeout(() => terminate("timeout"), timeoutMs);
  const stopListening = onAbort(signal, () => terminate("cancelled"));

  const stdout: PipeReader = child.stdout.getReader();
  const stderr: PipeReader = child.stderr.getReader();
  const closed = Promise.all([pump(stdout, options.onStdout), pump(stderr, options.onStderr)]);
  let groupEnded = false;
  try {
    // A consumer that throws ends the call at once; it is a bug of ours, and the program must not survive it.
    await Promise.race([child.exited, closed.then(() => child.exited)]);
    clearTimeout(timeoutTimer);
    clearTimeout(killTimer);
    const ranMs = durationMs();
    await within(closed, OUTPUT_GRACE_MS);
    const leftInGroup = !leavesNothing && groupIsAlive(child.pid);
    const killedGroup = !leavesNothing && killGroup(child.pid, "SIGKILL");
    const killedOthers = (await tag?.end()) ?? false;
    if (killedGroup || killedOthers) await within(closed, DRAIN_MS);
    groupEnded = true;
    return {
      exitCode: child.exitCode,
      signal: child.signalCode === null ? null : String(child.signalCode),
      durationMs: ranMs,
      timedOut: cause === "timeout",
      cancelled: cause === "cancelled",
      leftBehind: cause === undefined && (leftInGroup || killedOthers),
    };
  } finally {
    clearTimeout(timeoutTimer);
    clearTimeout(killTimer);
    stopListening();
    if (!groupEnded) {
      started.kill();
      tag?.signal("SIGKILL");
    }
    await Promise.all([stdout.cancel(), stderr.cancel()]);
    release();
  }
}

/** Passes on the chunks of a pipe until its end. */
async function pump(reader: PipeReader, onChunk: (chunk: Uint8Array) => void): Promise<void> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onChunk(value);
  }
}
