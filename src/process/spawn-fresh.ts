/** Starts a program in a session of its own with the given stdin or an empty one, and says in one line why it could not. */

import { accessSync, constants, statSync } from "node:fs";
import { OmpError, systemCode } from "../protocol/index.ts";

export type ProcessErrorKind = "not-found" | "not-permitted" | "too-long" | "bad-directory" | "failed";

/** The program was never started. How a started one ended is an outcome, not an error. */
export class ProcessError extends OmpError {
  readonly kind: ProcessErrorKind;

  constructor(kind: ProcessErrorKind, parts: { issue: string; code: string }, options?: { cause?: unknown }) {
    super({ operation: "spawn", ...parts }, options);
    this.kind = kind;
  }
}

export interface SpawnOptions {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
  /** Default: nothing. */
  readonly stdin?: Uint8Array | undefined;
}

export function spawnFresh({
  argv,
  cwd,
  env,
  stdin,
}: SpawnOptions): Bun.Subprocess<"ignore" | Uint8Array, "pipe", "pipe"> {
  try {
    return Bun.spawn([...argv], {
      cwd,
      env,
      // setsid(): the child leads a process group that can be signalled as a whole, and Ctrl+C does not reach it.
      detached: true,
      stdin: stdin ?? "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
  } catch (error) {
    throw explain(error, argv[0] ?? "", cwd);
  }
}

function explain(error: unknown, program: string, cwd: string): unknown {
  const code = systemCode(error);
  // No system code, or a malformed argument: a bug of the caller, not of the machine.
  if (code === undefined || code.startsWith("ERR_")) return error;
  const options = { cause: error };
  // The system has one answer for a missing program and a missing directory.
  const directory = directoryProblem(cwd);
  if (directory !== undefined) {
    return new ProcessError(
      "bad-directory",
      { issue: `Working directory ${directory} '${cwd}'`, code },
      options,
    );
  }
  switch (code) {
    case "ENOENT":
      return new ProcessError("not-found", { issue: `${program} not found`, code }, options);
    case "EACCES":
    case "EPERM":
      return new ProcessError("not-permitted", { issue: `${program} may not be executed`, code }, options);
    case "E2BIG":
      return new ProcessError("too-long", { issue: "arguments and environment are too long", code }, options);
    default:
      return new ProcessError("failed", { issue: `${program} could not be started`, code }, options);
  }
}

function directoryProblem(cwd: string): string | undefined {
  try {
    if (!statSync(cwd).isDirectory()) return "is not a directory";
    accessSync(cwd, constants.X_OK);
    return undefined;
  } catch (error) {
    return systemCode(error) === "ENOENT" ? "does not exist" : "cannot be entered";
  }
}
