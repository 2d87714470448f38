/** One bash that runs commands one after the other: how it is started, given work and watched. Replacing a lost one is up to persistent-shell.ts. */

import type { Watchdog } from "../process/watchdog.ts";
import { systemCode } from "../protocol/index.ts";
import { type Driver, driverCommand } from "./driver.ts";
import { ShellError } from "./errors.ts";
import { type ProcessFacts, programOf } from "./processes.ts";
import { type Report, ReportReader } from "./reports.ts";

export interface BashProcessOptions {
  readonly bash: string;
  readonly env: Record<string, string>;
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
  readonly #program: string | undefined;
  readonly #exitListeners = new Set<() => void>();

  constructor({ bash, env, driver, watchdog, onReport }: BashProcessOptions) {
    // What bash writes to stderr between commands (set -v, ended jobs) is dropped; within one, stderr is the command's.
    this.#child = spawnBash(bash, driverCommand(driver), { env, stdin: "pipe", stdout: "pipe" });
    this.pid = this.#child.pid;
    this.releaseGuard = watchdog.guardGroup(this.pid);
    this.#program = programOf(this.pid);
    const reader = new ReportReader(driver.nonce, onReport);
    const read = pump(this.#child.stdout, (chunk) => reader.push(chunk));
    // Reports that were written before the end count, too.
    this.exited = this.#child.exited.then(() => Promise.race([read, Bun.sleep(REPORT_GRACE_MS)]));
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

  get exitCode(): number | null {
    return this.#child.exitCode;
  }

  get signal(): string | null {
    return this.#child.signalCode === null ? null : String(this.#child.signalCode);
  }

  get hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Dead, even if Bun has not noticed yet: the system knows a moment earlier. */
  get isGone(): boolean {
    return this.hasExited || (this.#program !== undefined && programOf(this.pid) === undefined);
  }

  /** `exec` has replaced the shell by another program. */
  get isReplaced(): boolean {
    const now = programOf(this.pid);
    return now !== undefined && this.#program !== undefined && now !== this.#program;
  }

  get facts(): ProcessFacts {
    const facts = { pid: this.pid, parent: process.pid, session: this.pid, name: "bash" };
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
    if (!this.hasExited) this.#child.kill(signal);
  }
}

/** Between the end of bash and the end of its report channel, while a subshell still holds that. */
const REPORT_GRACE_MS = 50;

/** Starts bash without the user's start-up files, in a session of its own, so that Ctrl+C does not reach it. */
export function spawnBash<Stdio extends "pipe" | "ignore">(
  bash: string,
  script: string,
  options: { readonly env: Record<string, string>; readonly stdin: Stdio; readonly stdout: Stdio },
): Bun.Subprocess<Stdio, Stdio, "ignore"> {
  try {
    return Bun.spawn([bash, "--noprofile", "--norc", "-c", script, "bash"], {
      // What error messages start with, as in `bash -c`.
      argv0: "bash",
      cwd: "/",
      detached: true,
      stderr: "ignore",
      ...options,
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
