/** Runs a set-up command to its end and keeps the end of what it printed, for the report when it fails. */

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

export async function runCommand(command: Command): Promise<CommandResult> {
  command.signal.throwIfAborted();
  const timeout = AbortSignal.timeout(command.timeoutMs);
  const child = start(command, timeout);
  if (typeof child === "string") return { ok: false, stdout: "", output: "", problem: child };

  const [stdout, stderr, exitCode] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    child.exited,
  ]);
  command.signal.throwIfAborted();
  const output = `${stdout}\n${stderr}`;
  if (exitCode === 0) return { ok: true, stdout, output, problem: "" };
  const ended = timeout.aborted
    ? `no end after ${command.timeoutMs / 1000} s`
    : child.signalCode === null
      ? `exit code ${exitCode}`
      : `killed by ${child.signalCode}`;
  return { ok: false, stdout, output, problem: timeout.aborted ? ended : (tellingLine(output) ?? ended) };
}

function start(command: Command, timeout: AbortSignal) {
  try {
    return Bun.spawn([...command.argv], {
      cwd: command.cwd,
      env: command.env,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      signal: AbortSignal.any([command.signal, timeout]),
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function textOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text = (text + decoder.decode(chunk, { stream: true })).slice(-keptChars);
  }
  return text;
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
