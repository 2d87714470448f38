/** The kernel's operating-system process: plain launch, its exit, its last words. The fork server makes the other kind. */

import { closeSync, existsSync, openSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { type Confinement, confined } from "../../process/confinement.ts";
import { Started } from "../../process/started.ts";
import { systemCode } from "../../protocol/index.ts";
import { KernelError } from "../errors.ts";
import { readTail } from "../files.ts";
import type { KernelExit } from "../kernel.ts";
import { type LentPackages, lentLauncher } from "../python/lend.ts";

export interface ProcessExit extends KernelExit {
  readonly signal: string | number | null;
}

export interface KernelProcess {
  /** Also the id of a process group and session, which is the kernel's own where there is no sandbox. */
  readonly pid: number;
  /** For signals to the kernel and what it has started. */
  readonly started: Started;
  /** It runs in a sandbox, where it may know itself by another id. */
  readonly isConfined: boolean;
  readonly exited: Promise<ProcessExit>;
  /** The end of what it wrote to its own stdout and stderr: why it did not start, or a crash report. */
  lastWords(): string;
}

export interface LaunchOptions {
  readonly python: string;
  /** The whole command of a kernelspec, with `{connection_file}` in it; omp's own unless given. */
  readonly argv?: readonly string[] | undefined;
  /** For an interpreter without ipykernel. */
  readonly loan?: LentPackages | undefined;
  readonly connectionFile: string;
  readonly logFile: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The sandbox that it runs in. */
  readonly confinement?: Confinement | undefined;
}

/** Options of ipykernel that every kernel of ours gets, whichever way it is started. */
export const kernelArguments = [
  // No history file: the session log is ours, and opening sqlite costs a start 10 ms.
  "--HistoryManager.enabled=False",
] as const;

export function launchPlain(options: LaunchOptions): KernelProcess {
  if (!existsSync(options.cwd)) {
    const issue = `working directory '${options.cwd}' does not exist`;
    throw new KernelError({ kind: "start-failed", issue, code: "ENOENT" });
  }
  const { confinement } = options;
  const hasOwnPids = confinement?.hasOwnPids ?? false;
  // The kernel ends itself when this process is gone, even if nothing is left to kill it. A sandbox does that for it.
  const env = hasOwnPids ? options.env : { ...options.env, JPY_PARENT_PID: String(process.pid) };
  // Its own directory, which the boot code leaves: in the project's, a `types.py` would be imported before anything else.
  const directory = dirname(options.connectionFile);
  const command = confined(
    confinement,
    { argv: commandOf(options), env, cwd: directory },
    { writable: [directory] },
  );
  const log = openSync(options.logFile, "a", 0o600);
  try {
    const child = Bun.spawn(command.argv, {
      cwd: command.cwd,
      env: command.env,
      stdin: "ignore",
      stdout: log,
      stderr: log,
      // A session of its own: Ctrl+C in the terminal must not reach it, and a kill must reach its children.
      detached: true,
    });
    const how = () => (hasOwnPids ? reportedExit(child.exitCode) : undefined);
    return {
      pid: child.pid,
      started: new Started(child.pid, confinement),
      isConfined: confinement !== undefined,
      exited: child.exited.then(() => how() ?? exitOf(child.exitCode, child.signalCode)),
      lastWords: () => readTail(options.logFile),
    };
  } catch (error) {
    throw spawnError(error, options);
  } finally {
    closeSync(log);
  }
}

function commandOf({ python, argv, loan, connectionFile }: LaunchOptions): string[] {
  if (argv === undefined) {
    const program = loan === undefined ? ["-m", "ipykernel_launcher"] : [writeLauncher(connectionFile, loan)];
    return [python, ...program, "-f", connectionFile, ...kernelArguments];
  }
  return argv.map((word) => word.replaceAll("{connection_file}", connectionFile));
}

/** In the kernel's own directory: nothing about the loan is in the environment or the arguments, which programs that it starts could inherit. */
function writeLauncher(connectionFile: string, loan: LentPackages): string {
  const path = join(dirname(connectionFile), "lent_kernel.py");
  writeFileSync(path, lentLauncher(loan), { mode: 0o600 });
  return path;
}

function spawnError(cause: unknown, { python }: LaunchOptions): KernelError {
  const code = systemCode(cause) ?? "KERNEL_START";
  const reason = cause instanceof Error ? cause.message : String(cause);
  const wording: Readonly<Record<string, string>> = {
    ENOENT: `${python} not found`,
    EACCES: `${python} cannot be run: permission denied`,
  };
  const issue = wording[code] ?? `${python} could not be started: ${reason}`;
  return new KernelError({ kind: "start-failed", issue, code }, { cause });
}

/** A sandbox reports the end by a signal as a shell does: 128 and its number. Undefined for another end. */
function reportedExit(code: number | null): ProcessExit | undefined {
  const signal = signalName((code ?? 0) - 128);
  return signal === undefined ? undefined : exitOf(null, signal);
}

export function signalName(number: number): string | undefined {
  return Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
}

export function exitOf(code: number | null, signal: string | number | null): ProcessExit {
  const crash = crashes[signal ?? ""];
  const reason = crash ?? (signal === null ? `exited with code ${code}` : `killed by ${signal}`);
  return { reason, expected: false, signal };
}

const crashes: Readonly<Record<string, string>> = {
  SIGSEGV: "crashed with a segmentation fault (SIGSEGV)",
  SIGBUS: "crashed with a bus error (SIGBUS)",
  SIGABRT: "aborted (SIGABRT)",
};
