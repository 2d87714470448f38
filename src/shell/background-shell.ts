/** One command in the background: its process, its session, its output on disk, its end. */

import { within } from "../async/within.ts";
import { shellQuote } from "../format/shell-quote.ts";
import type { Confinement } from "../process/confinement.ts";
import { Started } from "../process/started.ts";
import type { Watchdog } from "../process/watchdog.ts";
import { errorLine, systemCode } from "../protocol/index.ts";
import { spawnBash } from "./bash-process.ts";
import { CappedLog, type NewOutput } from "./capped-log.ts";
import { CommandPipes, type PipeNumbers } from "./command-pipes.ts";
import { endProcesses, terminateSteps } from "./end-processes.ts";
import { membersOf, type ProcessFacts } from "./processes.ts";
import type { PrivateDirectory } from "./shell-setup.ts";

export type BackgroundStatus = "running" | "completed" | "failed" | "killed";

/** Where all of a shell's output is kept, also when the shell is forgotten: an artifact. */
export interface OutputCopy {
  readonly id: string;
  readonly problem:
    | { readonly kind: "full"; readonly bytes: number }
    | { readonly kind: "given-up"; readonly code: string }
    | undefined;
  write(bytes: Uint8Array): void;
  close(): void;
}

export interface BackgroundWishes {
  /** Default: where the persistent shell is. */
  readonly cwd?: string | undefined;
  /** Makes the copy of its output; undefined: there is none. */
  readonly keepOutput?: (() => OutputCopy | undefined) | undefined;
  /** Default: it may run as long as the session. */
  readonly timeoutMs?: number | undefined;
}

export interface BackgroundOptions extends BackgroundWishes {
  readonly id: string;
  readonly command: string;
  readonly bash: string;
  readonly env: Record<string, string>;
  readonly confinement: Confinement | undefined;
  readonly cwd: string;
  readonly snapshot: string | undefined;
  /** The state of the persistent shell, in latin1. */
  readonly state: string | undefined;
  readonly directory: PrivateDirectory;
  /** Where its output is kept. */
  readonly logs: PrivateDirectory;
  readonly pipes: PipeNumbers;
  readonly watchdog: Watchdog;
  readonly maxBytes: number;
  readonly onEnd: (shell: BackgroundShell) => void;
}

/** For output after the end, while something else still holds the pipes. */
const OUTPUT_GRACE_MS = 100;

export class BackgroundShell {
  readonly id: string;
  readonly command: string;
  /** Where it started. */
  readonly cwd: string;
  readonly startedAt = Date.now();
  readonly pid: number;
  readonly stdout: CappedLog;
  readonly stderr: CappedLog;
  readonly copy: OutputCopy | undefined;
  readonly timeoutMs: number | undefined;
  /** After the process has ended and its output is on disk. */
  readonly ended: Promise<void>;
  readonly #child: Bun.Subprocess<"ignore", "ignore", "ignore">;
  readonly #started: Started;
  readonly #pipes: CommandPipes;
  readonly #files: readonly string[];
  readonly #directory: PrivateDirectory;
  #status: BackgroundStatus = "running";
  #endedAt: number | undefined;
  #timedOut = false;
  #isTold = false;
  #killing: Promise<unknown> | undefined;
  #problem: string | undefined;

  constructor(options: BackgroundOptions) {
    const { id, directory, logs, pipes, watchdog } = options;
    this.id = id;
    this.command = options.command;
    this.cwd = options.cwd;
    this.timeoutMs = options.timeoutMs;
    this.#directory = directory;
    this.stdout = new CappedLog(`${logs.path}/${id}.stdout`, options.maxBytes);
    this.stderr = new CappedLog(`${logs.path}/${id}.stderr`, options.maxBytes);
    const pipe = pipes.take();
    this.#pipes = new CommandPipes(pipes.base(pipe), {
      onStdout: (chunk) => this.#keep(this.stdout, chunk),
      onStderr: (chunk) => this.#keep(this.stderr, chunk),
    });
    this.#files = [`${id}.command`, `${id}.state`];
    directory.write(`${id}.command`, options.command);
    if (options.state !== undefined) directory.write(`${id}.state`, Buffer.from(options.state, "latin1"));
    try {
      const script = backgroundScript(options, this.#pipes);
      const { env, confinement } = options;
      const start = {
        env,
        confinement,
        directory: directory.path,
        stdin: "ignore",
        stdout: "ignore",
      } as const;
      this.#child = spawnBash(options.bash, script, start);
    } catch (error) {
      void this.#pipes.close();
      throw error;
    }
    this.copy = options.keepOutput?.();
    this.pid = this.#child.pid;
    this.#started = new Started(this.pid, options.confinement);
    const release = watchdog.guardGroup(this.pid);
    this.ended = this.#watch(options.onEnd, release);
    void this.#pipes.ended.then(() => {
      pipes.giveBack(pipe);
      this.copy?.close();
    });
  }

  get status(): BackgroundStatus {
    return this.#status;
  }

  /** It was ended at its time limit. */
  get timedOut(): boolean {
    return this.#timedOut;
  }

  /** Its end is known to whoever asked for it, and need not be announced. */
  get isTold(): boolean {
    return this.#isTold;
  }

  get exitCode(): number | null {
    return this.#child.exitCode;
  }

  get signal(): string | null {
    return this.#child.signalCode === null ? null : String(this.#child.signalCode);
  }

  get durationMs(): number {
    return (this.#endedAt ?? Date.now()) - this.startedAt;
  }

  /** Why output is missing: it could not be written to disk. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** @param hold how much is left for the next look while the shell runs; see `CappedLog`. */
  readNew(hold?: (bytes: Uint8Array) => number): { readonly stdout: NewOutput; readonly stderr: NewOutput } {
    const held = this.#status === "running" ? hold : undefined;
    return { stdout: this.stdout.readNew(held), stderr: this.stderr.readNew(held) };
  }

  /** Everything of its session that still runs. */
  members(): ProcessFacts[] {
    const members = membersOf(this.#started);
    // After its end, a process with its number is an unrelated one: the session was empty.
    return this.#status !== "running" && members.some(({ pid }) => pid === this.pid) ? [] : members;
  }

  /**
   * Ends the whole tree.
   * @param options.isTold whoever is told about ended shells asked for this one.
   * @returns false when the shell had ended already and nothing of it was left.
   */
  async kill({ isTold = false } = {}): Promise<boolean> {
    const wasRunning = this.#status === "running";
    if (!wasRunning && this.members().length === 0) return false;
    this.#isTold ||= isTold;
    this.#killing ??= endProcesses(() => this.members(), terminateSteps);
    await this.#killing;
    await this.ended;
    return true;
  }

  async close(): Promise<void> {
    await this.kill();
    await this.#pipes.close();
    this.stdout.close();
    this.stderr.close();
    this.copy?.close();
  }

  async #watch(onEnd: (shell: BackgroundShell) => void, release: () => void): Promise<void> {
    const limit = this.timeoutMs === undefined ? undefined : setTimeout(() => this.#stop(), this.timeoutMs);
    await this.#child.exited;
    clearTimeout(limit);
    this.#pipes.expectEnd();
    await within(this.#pipes.ended, OUTPUT_GRACE_MS);
    this.#endedAt = Date.now();
    this.#status = this.#killing !== undefined ? "killed" : this.exitCode === 0 ? "completed" : "failed";
    // What it left running keeps its guard, and ends with omp.
    if (this.members().length === 0) release();
    for (const name of this.#files) this.#directory.makeRoom(name);
    onEnd(this);
  }

  #stop(): void {
    this.#timedOut = true;
    void this.kill();
  }

  #keep(log: CappedLog, chunk: Uint8Array): void {
    this.copy?.write(chunk);
    try {
      log.write(chunk);
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      this.#problem = errorLine({ operation: "bash", issue: "output could not be kept", code });
    }
  }
}

/** The command in the state of the persistent shell, with its output in the pipes. */
function backgroundScript(options: BackgroundOptions, pipes: CommandPipes): string {
  const { id, cwd, snapshot, state, directory } = options;
  const at = (name: string) => shellQuote(`${directory.path}/${name}`);
  const source = (path: string) => `builtin source ${path} >/dev/null 2>&1`;
  const lines = [
    `IFS= builtin read -r -d '' __omp_command <${at(`${id}.command`)}`,
    "shopt -s expand_aliases",
    snapshot === undefined ? "" : source(shellQuote(snapshot)),
    state === undefined ? "" : source(at(`${id}.state`)),
    `builtin cd -- ${shellQuote(cwd)}`,
    // Not `builtin exec`, whose redirections last only as long as itself.
    `\\exec >${shellQuote(pipes.stdout)} 2>${shellQuote(pipes.stderr)}`,
    '\\builtin eval "$__omp_command"',
  ];
  return lines.filter(Boolean).join("; ");
}
