/** How a command in the persistent shell ended, and notes for the model about the shell that it ran in. */

import { constants } from "node:os";
import type { Stopped } from "./stop-command.ts";

export interface ShellOutcome {
  /** As bash reports it; null when the command was stopped or ended the shell with it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  /** Where the shell is now. */
  readonly cwd: string;
  /** The shell ended with the command: the next one runs in a new bash with the old one's state. */
  readonly replaced: boolean;
  /** Sentences about what was lost. */
  readonly notes: readonly string[];
  /** What background jobs of earlier commands have written since the last command. */
  readonly late: { readonly text: string; readonly bytes: number } | undefined;
}

/** Of a command that was cancelled before it began. */
export function notRun(cwd: string): ShellOutcome {
  const nothing = { exitCode: null, signal: null, durationMs: 0, timedOut: false, cancelled: true };
  return { ...nothing, cwd, replaced: false, notes: [], late: undefined };
}

export type ShellEnd = Pick<ShellOutcome, "exitCode" | "signal">;

export interface Loss {
  readonly end: ShellEnd;
  /** The shell could save its state when it ended. */
  readonly saved: boolean;
  readonly stopped: boolean;
  /** Between two commands, not by one. */
  readonly whileIdle: boolean;
  readonly hadState: boolean;
  /** Its background jobs: how many still run, and whether others ended with it. */
  readonly jobs: number;
  readonly tookJobs: boolean;
  /** Where the new shell is, if the old one's directory is gone. */
  readonly movedTo: string | undefined;
}

export function lossNotes(loss: Loss): string[] {
  const notes: string[] = [];
  const kept = "directory, variables, functions and aliases";
  if (loss.saved) {
    const how = loss.stopped ? "the shell had to be ended with the command" : "the command ended the shell";
    notes.push(`${how}; a new one took its place with the same ${kept}`);
  }
  if (!loss.saved) {
    const when = loss.whileIdle ? "after the last command" : "before this command";
    const state = loss.hadState
      ? `${kept} are as they were ${when}`
      : "its directory and variables are those of the start of the session";
    notes.push(`${howLost(loss)}; a new one took its place: ${state}`);
  }
  if (loss.stopped)
    notes.push("lost with the old shell: open descriptors, the directory stack, `$!` and jobs");
  if (loss.jobs > 0) {
    notes.push("background jobs of the old shell still run, but `jobs`, `fg` and `wait` no longer know them");
  }
  if (loss.tookJobs) notes.push("background jobs of the old shell have ended with it");
  if (loss.movedTo !== undefined) notes.push(`the shell's directory is gone; it is in '${loss.movedTo}' now`);
  return notes;
}

function howLost({ end, stopped }: Loss): string {
  if (stopped) return "the shell had to be ended with the command";
  return end.signal === null
    ? "the shell was replaced by another program (exec) and ended with it"
    : `the shell was killed by ${end.signal}`;
}

/** Those that end programs in practice: other statuses above 128 are more likely a program's own. */
const endingSignals = [
  ...(["SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGABRT", "SIGFPE"] as const),
  ...(["SIGKILL", "SIGSEGV", "SIGPIPE", "SIGALRM", "SIGTERM"] as const),
];

/** @param status as bash reports it. */
export function endOf(status: number, stopped: Stopped | undefined): ShellEnd {
  return stopped === undefined
    ? { exitCode: status, signal: signalOf(status) }
    : { exitCode: null, signal: stopped.signal };
}

/** bash reports the end by a signal as 128 plus its number. */
export function signalOf(status: number): string | null {
  return endingSignals.find((name) => constants.signals[name] === status - 128) ?? null;
}
