/** Runs a command to its end and keeps the end of what it printed. */

import { formatLimit } from "../format/durations.ts";
import { type FreshProcess, type ProcessOutcome, runFresh } from "../process/run-fresh.ts";
import { ProcessError } from "../process/spawn-fresh.ts";

/** A program that floods its output must not fill the memory; what matters is at the end. */
const KEPT_CHARS = 1_000_000;
const MAX_LINE = 200;

export type Command = Omit<FreshProcess, "onStdout" | "onStderr" | "watchdog">;

export interface CommandResult {
  /** Undefined when it could not be started. */
  readonly outcome: ProcessOutcome | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it failed, in a clause that follows its name; undefined when it succeeded. */
  readonly problem: string | undefined;
}

export async function runCommand(command: Command): Promise<CommandResult> {
  const stdout = new Tail();
  const stderr = new Tail();
  try {
    const outcome = await runFresh({ ...command, onStdout: stdout.add, onStderr: stderr.add });
    const texts = { stdout: stdout.text, stderr: stderr.text };
    return { outcome, ...texts, problem: problemOf(outcome, command.timeoutMs) };
  } catch (error) {
    if (!(error instanceof ProcessError)) throw error;
    return { outcome: undefined, stdout: "", stderr: "", problem: `cannot be started (${error.code})` };
  }
}

function problemOf(outcome: ProcessOutcome, timeoutMs: number): string | undefined {
  if (outcome.cancelled) return "was cancelled";
  if (outcome.timedOut) return `did not answer within ${formatLimit(timeoutMs)}`;
  if (outcome.signal !== null) return `crashed with ${outcome.signal}`;
  return outcome.exitCode === 0 ? undefined : `failed with exit code ${outcome.exitCode}`;
}

/** The last line of a text, or the last one that matches if any does; undefined when there is none. */
export function lastLine(text: string, preferred?: RegExp): string | undefined {
  const lines = Bun.stripANSI(text)
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const found = lines.findLast((line) => preferred?.test(line)) ?? lines.at(-1);
  return found?.slice(0, MAX_LINE);
}

class Tail {
  text = "";
  readonly #decoder = new TextDecoder();

  readonly add = (chunk: Uint8Array): void => {
    this.text = (this.text + this.#decoder.decode(chunk, { stream: true })).slice(-KEPT_CHARS);
  };
}
