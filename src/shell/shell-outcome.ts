/** How a command in the persistent shell ended, and what is worth telling about the shell it ran in. */

import type { BashProcess } from "./bash-process.ts";

export interface ShellOutcome {
  /** As bash tells it; null when the command was stopped or took the shell with it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly durationMs: number;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  /** Where the shell is now. */
  readonly cwd: string;
  /** The command ended the shell, or was stopped: the next one runs in a new bash with the old one's state. */
  readonly replaced: boolean;
  /** Sentences about what was lost. */
  readonly notes: readonly string[];
  /** What background jobs of earlier commands have written since the last command. */
  readonly late: { readonly text: string; readonly bytes: number } | undefined;
}

export interface Loss {
  readonly bash: Pick<BashProcess, "exitCode" | "signal">;
  /** The shell could save its state when it ended. */
  readonly saved: boolean;
  readonly stopped: boolean;
  /** Between two commands, not by one. */
  readonly whileIdle: boolean;
  readonly hadState: boolean;
  readonly jobs: number;
}

export function lossNotes(loss: Loss): string[] {
  const notes: string[] = [];
  const kept = "directory, variables, functions and aliases";
  if (loss.saved && !loss.stopped) {
    notes.push(`the command ended the shell; a new one took its place with the same ${kept}`);
  }
  if (!loss.saved) {
    const when = loss.whileIdle ? "after the last command" : "before this command";
    const state = loss.hadState
      ? `${kept} are as they were ${when}`
      : "its directory and variables are those of the start of the session";
    notes.push(`${howLost(loss)}; a new one took its place: ${state}`);
  }
  if (loss.jobs > 0) {
    notes.push("background jobs of the old shell still run, but `jobs`, `fg` and `wait` no longer know them");
  }
  return notes;
}

function howLost({ bash, stopped }: Loss): string {
  if (stopped) return "the shell had to be ended with the command";
  return bash.signal === null
    ? "the shell was replaced by another program (exec) and ended with it"
    : `the shell was killed by ${bash.signal}`;
}

const signalNumbers: Readonly<Record<number, string>> = {
  1: "SIGHUP",
  2: "SIGINT",
  3: "SIGQUIT",
  4: "SIGILL",
  6: "SIGABRT",
  8: "SIGFPE",
  9: "SIGKILL",
  11: "SIGSEGV",
  13: "SIGPIPE",
  14: "SIGALRM",
  15: "SIGTERM",
};

/** bash tells the end by a signal as 128 and its number. */
export function signalOf(status: number): string | null {
  return signalNumbers[status - 128] ?? null;
}
