/** One bash that runs commands one after the other: started, spoken to, watched. What a lost one's successor needs is persistent-shell.ts. */

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
    this.#child = spawn(bash, driverCommand(driver), env);
    this.pid = this.#child.pid;
    this.releaseGuard = watchdog.guardGroup(this.pid);
    this.#program = programOf(this.pid);
    const reader = new ReportReader(driver.nonce, onReport);
    const read = pump(this.#child.stdout, (chunk) => reader.push(chunk));
    // A report that was written before the end counts, too.
    this.exited = this.#child.exited.then(() => Promise.race([read, Bun.sleep(reportGraceMs)]));
    void this.exited.then(() => {
      for (const listener of this.#exitListeners) listener();
    });
  }

  /**
   * For what is waited for with every command: whatever is hung on the promise itself stays there until bash ends, with all that
   * it holds. Returns how to stop listening.
   */
  onExit(listener: () => void): () => void {
    this.#exitListeners.add(listener);
    // It may have ended before anybody listened.
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

  /** Dead, though nobody has told yet: the system knows a moment before Bun does. */
  get isGone(): boolean {
    return this.hasExited || (this.#program !== undefined && programOf(this.pid) === undefined);
  }

  /** `exec` has put another program in the shell's place. */
  get isReplaced(): boolean {
    const now = programOf(this.pid);
    return now !== undefined && this.#program !== undefined && now !== this.#program;
  }

  get facts(): ProcessFacts {
    const facts = { pid: this.pid, parent: process.pid, session: this.pid, name: "bash" };
    return { ...facts, startedTick: 0, isRunnable: false };
  }

  /** Makes bash run what is in the file "request". When bash has ended that is told by `exited`. */
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
const reportGraceMs = 50;

function spawn(
  bash: string,
  command: string,
  env: Record<string, string>,
): Bun.Subprocess<"pipe", "pipe", "ignore"> {
  try {
    return Bun.spawn([bash, "--noprofile", "--norc", "-c", command, "bash"], {
      // What error messages start with, as in `bash -c`.
      argv0: "bash",
      cwd: "/",
      env,
      // setsid(): the shell leads a group of its own, and Ctrl+C does not reach it.
      detached: true,
      stdin: "pipe",
      stdout: "pipe",
      // What bash says between commands (set -v, ended jobs); within them stderr is the command's.
      stderr: "ignore",
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
