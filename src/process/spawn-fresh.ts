/** Starts a program in a session of its own, with the given stdin or an empty one; its errors say in one line why that failed. */

import { accessSync, constants, statSync } from "node:fs";
import { OmpError, systemCode } from "../protocol/index.ts";
import { type ConfinedNeeds, type Confinement, confined } from "./confinement.ts";

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
  /** The sandbox to start it in; default: none. */
  readonly confinement?: Confinement | undefined;
  readonly needs?: ConfinedNeeds | undefined;
}

export function spawnFresh({
  argv,
  cwd,
  env,
  stdin,
  confinement,
  needs,
}: SpawnOptions): Bun.Subprocess<"ignore" | Uint8Array, "pipe", "pipe"> {
  const command = confined(confinement, { argv, env, cwd }, needs);
  try {
    return Bun.spawn(command.argv, {
      cwd: command.cwd,
      env: command.env,
      // setsid(): the child leads a process group that can be signalled as a whole, and Ctrl+C does not reach it.
      detached: true,
      stdin: stdin ?? "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
  } catch (error) {
    throw spawnError(error, argv[0] ?? "", cwd);
  }
}

function spawnError(error: unknown, program: string, cwd: string): unknown {
  const code = systemCode(error);
  // No system code, or a malformed argument: a bug of the caller, not of the machine.
  if (code === undefined || code.startsWith("ERR_")) return error;
  // The system has one answer for a missing program and a missing directory.
  const directory = directoryProblem(cwd)?.problem;
  const [kind, issue]: [ProcessErrorKind, string] =
    directory === undefined
      ? (problems[code]?.(program) ?? ["failed", `${program} could not be started`])
      : ["bad-directory", `Working directory ${directory} '${cwd}'`];
  return new ProcessError(kind, { issue, code }, { cause: error });
}

const problems: Readonly<Record<string, (program: string) => [ProcessErrorKind, string]>> = {
  ENOENT: (program) => ["not-found", `${program} not found`],
  EACCES: (program) => ["not-permitted", `${program} cannot be run: permission denied`],
  EPERM: (program) => ["not-permitted", `${program} cannot be run: permission denied`],
  E2BIG: () => ["too-long", "arguments and environment are too long"],
};

export interface DirectoryProblem {
  /** Completes "Working directory …". */
  readonly problem: string;
  readonly code: string;
}

/** Why no program can be started in a directory; undefined when one can. */
export function directoryProblem(directory: string): DirectoryProblem | undefined {
  try {
    if (!statSync(directory).isDirectory()) return { problem: "is not a directory", code: "ENOTDIR" };
    accessSync(directory, constants.X_OK);
    return undefined;
  } catch (error) {
    const code = systemCode(error) ?? "UNKNOWN";
    return { problem: directoryProblems[code] ?? "cannot be used", code };
  }
}

const directoryProblems: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "is not a directory",
  EACCES: "cannot be entered: permission denied",
};
