/** One bash that runs commands one after the other: how it is started, given work and watched. Replacing a lost one is up to persistent-shell.ts. */

import { realpathSync } from "node:fs";
import { within } from "../async/within.ts";
import { type Confinement, confined } from "../process/confinement.ts";
import { Started } from "../process/started.ts";
import type { Watchdog } from "../process/watchdog.ts";
import { systemCode } from "../protocol/index.ts";
import { type Driver, driverCommand } from "./driver.ts";
import { ShellError } from "./errors.ts";
import { membersOf, type ProcessFacts, programOf, signalProcess } from "./processes.ts";
import { type Report, ReportReader } from "./reports.ts";
import { type ShellEnd, signalOf } from "./shell-outcome.ts";

export interface BashProcessOptions {
  readonly bash: string;
  readonly env: Record<string, string>;
  readonly confinement: Confinement | undefined;
  readonly driver: Driver;
  readonly watchdog: Watchdog;
  readonly onReport: (report: Report) => void;
}

export class BashProcess {
  readonly pid: number;
  readonly exited: Promise<unknown>;
  /** Its group no longer dies with omp. */
  readonly releaseGuard: () => void;
  readonly #child: Bun.Subprocess<"pipe", "pipe", "ignore">;
  readonly #started: Started;
  readonly #isConfined: boolean;
  readonly #program: string | undefined;
  readonly #exitListeners = new Set<() => void>();

  constructor({ bash, env, confinement, driver, watchdog, onReport }: BashProcessOptions) {
    const start = { env, confinement, directory: driver.directory, stdin: "pipe", stdout: "pipe" } as const;
    // What bash writes to stderr between commands (set -v, ended jobs) is dropped; within one, stderr is the command's.
    this.#child = spawnBash(bash, driverCommand(driver), start);
    this.pid = this.#child.pid;
    this.#started = new Started(this.pid, confinement);
    this.#isConfined = confinement?.hasOwnPids ?? false;
    this.releaseGuard = watchdog.guardGroup(this.pid);
    this.#program = this.#isConfined ? realpathSync(bash) : programOf(this.pid);
    const reader = new ReportReader(driver.nonce, onReport);
    const read = pump(this.#child.stdout, (chunk) => reader.push(chunk));
    // Reports that were written before the end count, too.
    this.exited = this.#child.exited.then(() => within(read, REPORT_GRACE_MS));
    void this.exited.then(() => {
      for (const listener of this.#exitListeners) listener();
    });
  }

  /**
   * For every command's wait: a handler on the promise itself would stay there until bash ends, with everything that it holds.
   * @returns a function that stops listening.
   */
  onExit(listener: () => void): () => void {
    this.#exitListeners.add(listener);
    // It may have ended before.
    if (this.hasExited) void this.exited.then(listener);
    return () => this.#exitListeners.delete(listener);
  }

  /**
   * How it ended. A sandbox reports the end by a signal as a shell does, with an exit code.
   * @param saved the shell had time to save its state, as it has when it ends by itself.
   */
  howEnded({ saved }: { readonly saved: boolean }): ShellEnd {
    const { exitCode, signalCode } = this.#child;
    const reported = this.#isConfined && !saved ? signalOf(exitCode ?? 0) : null;
    if (reported !== null) return { exitCode: null, signal: reported };
    return { exitCode, signal: signalCode === null ? null : String(signalCode) };
  }

  /** What it leaves running ends with it. */
  get takesJobs(): boolean {
    return this.#isConfined;
  }

  get hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Dead, even if Bun has not noticed yet: the system knows a moment earlier. */
  get isGone(): boolean {
    return this.hasExited || (this.#program !== undefined && programOf(this.pid) === undefined);
  }

  /** The session that it leads, also after its end. */
  get session(): number {
    return this.#started.group;
  }

  /** Everything in its session but the shell itself. */
  members(): ProcessFacts[] {
    const { program } = this.#started;
    return membersOf(this.#started).filter(({ pid }) => pid !== program);
  }

  /** The process that the shell calls by this number; undefined when it is gone. */
  childByInnerPid(inner: number): number | undefined {
    return this.#started.childByInnerPid(inner);
  }

  /** `exec` has replaced the shell by another program. */
  get isReplaced(): boolean {
    const { program } = this.#started;
    const now = program === undefined ? undefined : programOf(program);
    return now !== undefined && this.#program !== undefined && now !== this.#program;
  }

  get facts(): ProcessFacts {
    const pid = this.#started.program ?? this.pid;
    const facts = { pid, parent: process.pid, session: this.session, name: "bash" };
    return { ...facts, startedTick: 0, isRunnable: false };
  }

  /** Makes bash run what is in the file "request". If bash has ended, `exited` says so. */
  ring(): void {
    try {
      void this.#child.stdin.write("\n");
      void this.#child.stdin.flush();
    } catch (error) {
      if (systemCode(error) !== "EPIPE") throw error;
    }
  }

  /** Ends bash as the end of its script does: EXIT traps run. */
  endInput(): void {
    void this.#child.stdin.end();
  }

  signalShell(signal: NodeJS.Signals): void {
    if (this.hasExited) return;
    const { program } = this.#started;
    if (program === this.pid || program === undefined) this.#child.kill(signal);
    else signalProcess(program, signal);
  }
}

/** Between the end of bash and the end of its report channel, while a subshell still holds that. */
const REPORT_GRACE_MS = 50;

interface BashStart<Stdio extends "pipe" | "ignore"> {
  readonly env: Record<string, string>;
  readonly confinement: Confinement | undefined;
  /** The one that it shares with omp. */
  readonly directory: string;
  readonly stdin: Stdio;
  readonly stdout: Stdio;
}

/** Starts bash without the user's start-up files, in a session of its own, so that Ctrl+C does not reach it. */
export function spawnBash<Stdio extends "pipe" | "ignore">(
  bash: string,
  script: string,
  { confinement, directory, ...options }: BashStart<Stdio>,
): Bun.Subprocess<Stdio, Stdio, "ignore"> {
  const argv = [bash, "--noprofile", "--norc", "-c", script, "bash"];
  const command = confined(confinement, { argv, env: options.env, cwd: "/" }, { writable: [directory] });
  try {
    return Bun.spawn(command.argv, {
      // What error messages start with, as in `bash -c`.
      ...(confinement === undefined ? { argv0: "bash" } : {}),
      cwd: "/",
      detached: true,
      stderr: "ignore",
      ...options,
      env: command.env,
    });
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    throw new ShellError("failed", { issue: `${bash} could not be started`, code }, { cause: error });
  }
}

async function pump(stream: ReadableStream<Uint8Array>, onChunk: (chunk: Uint8Array) => void): Promise<void> {
  for await (const chunk of stream) onChunk(chunk);
}
