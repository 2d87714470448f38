/** Runs a set-up command to its end and keeps the end of what it printed, for the report when it fails. */

import { formatLimit } from "../format/durations.ts";
import { runFresh } from "../process/run-fresh.ts";
import { ProcessError } from "../process/spawn-fresh.ts";
import type { Environment } from "./executable.ts";

const keptChars = 200_000;

export interface Command {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

export interface CommandResult {
  readonly ok: boolean;
  readonly stdout: string;
  /** The end of all that it printed. */
  readonly output: string;
  /** Why it failed, as the command itself put it: its last telling line. Empty when it did not. */
  readonly problem: string;
}

/** Throws the signal's reason when it was stopped. */
export async function runCommand(command: Command): Promise<CommandResult> {
  const stdout = new Tail();
  const stderr = new Tail();
  const env = Object.fromEntries(Object.entries(command.env).filter(isSet));
  try {
    const outcome = await runFresh({
      ...command,
      env,
      onStdout: (chunk) => stdout.add(chunk),
      onStderr: (chunk) => stderr.add(chunk),
    });
    command.signal.throwIfAborted();
    const output = `${stdout.text}\n${stderr.text}`;
    if (outcome.exitCode === 0) return { ok: true, stdout: stdout.text, output, problem: "" };
    const ended = outcome.signal === null ? `exit code ${outcome.exitCode}` : `killed by ${outcome.signal}`;
    const problem = outcome.timedOut
      ? `no end after ${formatLimit(command.timeoutMs)}`
      : (tellingLine(output) ?? ended);
    return { ok: false, stdout: stdout.text, output, problem };
  } catch (error) {
    if (!(error instanceof ProcessError)) throw error;
    return { ok: false, stdout: "", output: "", problem: `cannot be started (${error.code})` };
  }
}

function isSet(entry: [string, string | undefined]): entry is [string, string] {
  return entry[1] !== undefined;
}

class Tail {
  text = "";
  readonly #decoder = new TextDecoder();

  add(chunk: Uint8Array): void {
    this.text = (this.text + this.#decoder.decode(chunk, { stream: true })).slice(-keptChars);
  }
}

/** pip and uv say what went wrong in a line that begins with "error"; the lines after it are advice. */
function tellingLine(output: string): string | undefined {
  const lines = Bun.stripANSI(output)
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("[notice]"));
  return (
    lines.findLast((line) => /^(error|fatal|\S*Error\b|× )|: command not found$/i.test(line)) ?? lines.at(-1)
  );
}
