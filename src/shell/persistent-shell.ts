/**
 * The shell of a session: runs one command after the other in the same bash, and replaces a bash that was lost by a new one
 * with the same state. driver.ts says how a command is run, stop-command.ts how it is stopped.
 */

import { onAbort } from "../async/abort.ts";
import { within } from "../async/within.ts";
import { attempt } from "../protocol/index.ts";
import { BashProcess } from "./bash-process.ts";
import { CommandPipes, LateOutput, PipeNumbers } from "./command-pipes.ts";
import { type Driver, mayChangeFunctions, type Request, requestText, startScript } from "./driver.ts";
import { endProcesses, terminateSteps } from "./end-processes.ts";
import { shellClosedError, shellLostError } from "./errors.ts";
import { FormerSessions } from "./former-sessions.ts";
import { type ProcessFacts, sessionMembers } from "./processes.ts";
import type { Report } from "./reports.ts";
import type { RunOptions } from "./run-options.ts";
import { SavedState } from "./saved-state.ts";
import { endOf, lossNotes, notRun, type ShellEnd, type ShellOutcome } from "./shell-outcome.ts";
import type { ShellSetup } from "./shell-setup.ts";
import { type StopCause, StopCommand, type Stopped } from "./stop-command.ts";

/** `$?` after a command that was stopped: as if Ctrl+C had been pressed. */
const STOPPED_STATUS = 130;
const START_MS = 10_000;
const SAVE_MS = 2_000;
/** For traps on EXIT when the session ends. */
const EXIT_MS = 1_000;

export class PersistentShell {
  readonly #setup: ShellSetup;
  readonly #pipeNumbers: PipeNumbers;
  readonly #saved: SavedState;
  readonly #former = new FormerSessions();
  readonly #late = new LateOutput();
  readonly #closing = new AbortController();
  #bash: BashProcess | undefined;
  #onReport: ((report: Report) => void) | undefined;
  #onReady: ((report: Report) => void) | undefined;
  #onSaved: (() => void) | undefined;
  #isRunning = false;
  #finished: Promise<unknown> = Promise.resolve();
  #sequence = 0;
  #savedSequence = 0;
  #lastStatus = 0;
  #jobs: readonly number[] = [];
  /** Those of the commands before the present one. */
  #earlierJobs: readonly number[] = [];
  #cwd: string;
  /** Whether it was given a command. */
  isUsed = false;

  constructor(setup: ShellSetup) {
    this.#setup = setup;
    this.#pipeNumbers = new PipeNumbers(`${setup.directory.path}/pipe-`);
    this.#saved = new SavedState(setup.directory.path);
    this.#cwd = setup.cwd;
  }

  /** The directory that the last command left the shell in. */
  get cwd(): string {
    return this.#cwd;
  }

  /** The current bash, once one was needed. */
  get pid(): number | undefined {
    return this.#bash?.pid;
  }

  /** Starts bash before the first command asks for it. */
  warmUp(): void {
    if (this.#bash !== undefined || this.#isRunning || this.#closing.signal.aborted) return;
    this.#setup.directory.ensure();
    this.#start(undefined);
  }

  async run(command: string, options: RunOptions): Promise<ShellOutcome> {
    if (this.#closing.signal.aborted) throw shellClosedError();
    if (this.#isRunning) throw new Error("the shell runs one command at a time");
    this.isUsed = true;
    this.#isRunning = true;
    const finished = this.#run(command, options).finally(() => {
      this.#isRunning = false;
    });
    this.#finished = finished.catch(() => undefined);
    return await finished;
  }

  /** The state of the shell as a script for another bash, in latin1; undefined before the first command. */
  async state(): Promise<string | undefined> {
    await this.#untilSaved();
    return this.isUsed ? this.#saved.asOfLastCommand() : undefined;
  }

  /** Its variables, aliases and functions, as bash printed them, in latin1; undefined before the first command. */
  async definitions(): Promise<string | undefined> {
    await this.#untilSaved();
    const printed = this.#saved.asPrinted();
    return printed && printed.state + printed.functions;
  }

  /** Replaces bash by one with an earlier state; undefined: as a new one starts. What commands left running goes on. Throws ShellError. */
  async restore(state: string | undefined): Promise<void> {
    await this.#untilSaved();
    const before = this.#bash;
    if (before === undefined || !this.isUsed) return;
    // Not by the end of its input: the user's traps on EXIT are about the end of the session.
    before.signalShell("SIGKILL");
    await before.exited;
    this.#former.add(before);
    this.#jobs = [];
    await this.#startFrom(state);
  }

  async #untilSaved(): Promise<void> {
    await this.#finished;
    if (this.#bash !== undefined && this.#savedSequence < this.#sequence && !this.#bash.hasExited) {
      const { promise: saved, resolve } = Promise.withResolvers<void>();
      this.#onSaved = resolve;
      await within(Promise.race([saved, this.#bash.exited]), SAVE_MS);
    }
  }

  /** Ends the shell and everything that its commands left running. @returns what that was. */
  async close(): Promise<readonly ProcessFacts[]> {
    this.#closing.abort();
    await this.#untilSaved();
    const bash = this.#bash;
    // Before the first command it can only be starting.
    const leftRunning = this.isUsed ? [...(bash?.members() ?? []), ...this.#former.members()] : [];
    if (bash !== undefined) {
      // Like the end of a script: the user's traps on EXIT run.
      bash.endInput();
      await within(bash.exited, EXIT_MS);
    }
    if (this.isUsed || bash?.hasExited === false) await endProcesses(() => this.#members(), terminateSteps);
    await this.#late.close();
    bash?.releaseGuard();
    this.#former.release();
    return leftRunning;
  }

  async #run(command: string, options: RunOptions): Promise<ShellOutcome> {
    const startedAt = performance.now();
    const signal = AbortSignal.any([options.signal, this.#closing.signal]);
    if (signal.aborted) return notRun(this.#cwd);
    if (this.#setup.directory.ensure()) this.#pipeNumbers.forget();
    const { bash, notes } = await this.#prepare();
    const late = this.#late.take();
    this.#sequence += 1;
    const sequence = this.#sequence;
    const ended = Promise.withResolvers<Report | undefined>();
    this.#onReport = (report) => {
      if (Number(report.words[1]) === sequence) ended.resolve(report);
    };
    const forget = bash.onExit(() => ended.resolve(undefined));
    const pipe = this.#pipeNumbers.take();
    let pipes: CommandPipes | undefined;
    this.#earlierJobs = this.#jobs;
    const earlierJobs = () => this.#earlierJobs;
    const stop = new StopCommand({ bash, startedAt, earlierJobs, ended: ended.promise });
    const startStop = (cause: StopCause) => {
      // Where that fails, because a command has removed the directory, the shell is ended.
      attempt(() => this.#setup.directory.write("stop", `${sequence}\n`));
      stop.start(cause);
    };
    const timer = setTimeout(() => startStop("timeout"), options.timeoutMs);
    const stopListening = onAbort(signal, () => startStop("cancelled"));
    try {
      // Opened before bash gets the request: Bun closes its end of the last command's pipes some time later, and until then bash
      // would find a reader that disappears with what was written.
      pipes = new CommandPipes(this.#pipeNumbers.base(pipe), options);
      this.#request(bash, { sequence, command, pipe, cwd: options.cwd });
      // Before the end of the command the pipes cannot end, only fail: when a listener throws, which is a bug of ours.
      const failed = pipes.ended.then(() => new Promise<never>(() => undefined));
      const report = await Promise.race([ended.promise, failed]);
      clearTimeout(timer);
      stopListening();
      const stopped = await stop.finish();
      const durationMs = Math.round(performance.now() - startedAt);
      const isAtEnd = await pipes.settle(() => stop.members().some(({ isRunnable }) => isRunnable));
      // What continues to write is a background job.
      void (isAtEnd ? pipes.ended : this.#late.follow(pipes)).then(() => this.#pipeNumbers.giveBack(pipe));
      const facts = {
        durationMs,
        late,
        timedOut: stopped?.cause === "timeout",
        cancelled: stopped?.cause === "cancelled",
      };
      if (report === undefined) return { ...facts, ...(await this.#afterLoss(bash, stopped, notes)) };
      this.#cwd = report.cwd;
      this.#lastStatus = stopped === undefined ? Number(report.words[2]) : STOPPED_STATUS;
      return { ...facts, ...endOf(this.#lastStatus, stopped), cwd: this.#cwd, replaced: false, notes };
    } catch (error) {
      startStop("cancelled");
      await stop.finish();
      await pipes?.close();
      throw error;
    } finally {
      forget();
      clearTimeout(timer);
      stopListening();
    }
  }

  #request(bash: BashProcess, what: Pick<Request, "sequence" | "command" | "pipe" | "cwd">): void {
    const functions = mayChangeFunctions(what.command);
    const functionsSlot = this.#saved.makeRoom(what.sequence, { functions });
    const request = { ...what, lastStatus: this.#lastStatus, functionsSlot };
    this.#setup.directory.rewrite("request", requestText(request));
    bash.ring();
  }

  async #afterLoss(bash: BashProcess, stopped: Stopped | undefined, notes: readonly string[]) {
    const lost = await this.#replace(bash, { stopped: stopped !== undefined, whileIdle: false });
    const end = stopped === undefined ? lost.end : { exitCode: null, signal: stopped.signal };
    this.#lastStatus = end.exitCode ?? STOPPED_STATUS;
    return { ...end, cwd: this.#cwd, replaced: true, notes: [...notes, ...lost.notes] };
  }

  async #prepare(): Promise<{ bash: BashProcess; notes: readonly string[] }> {
    const current = this.#bash;
    if (current === undefined) return { bash: this.#start(undefined), notes: [] };
    if (!current.isGone) return { bash: current, notes: [] };
    const { notes } = await this.#replace(current, { stopped: false, whileIdle: true });
    return { bash: this.#bash ?? current, notes };
  }

  #start(restore: string | undefined): BashProcess {
    const { bash: program, env, confinement, watchdog, directory, cwd, snapshot } = this.#setup;
    const driver: Driver = { directory: directory.path, nonce: directory.nonce };
    directory.write("start", startScript({ ...driver, cwd, snapshot, restore }));
    const onReport = (report: Report) => this.#take(report);
    const bash = new BashProcess({ bash: program, env, confinement, driver, watchdog, onReport });
    this.#bash = bash;
    return bash;
  }

  /** Replaces a bash that has ended. @returns how it had, and notes on what was lost. */
  async #replace(
    bash: BashProcess,
    how: { stopped: boolean; whileIdle: boolean },
  ): Promise<{ readonly end: ShellEnd; readonly notes: string[] }> {
    await bash.exited;
    const jobs = this.#jobs;
    this.#jobs = [];
    this.#former.add(bash);
    const exitState = this.#saved.takeExitState();
    const state = exitState ?? this.#saved.asOfLastCommand();
    const { words, cwd } = await this.#startFrom(state);
    const stillRunning = this.#former.members().filter(({ pid }) => jobs.includes(pid)).length;
    const saved = exitState !== undefined;
    const end = bash.howEnded({ saved });
    const tookJobs = bash.takesJobs && jobs.length > 0;
    const movedTo = words[1] === "1" ? cwd : undefined;
    const hadState = state !== undefined;
    return { end, notes: lossNotes({ end, saved, hadState, jobs: stillRunning, tookJobs, movedTo, ...how }) };
  }

  /** A new bash with a state, when it is ready. */
  async #startFrom(state: string | undefined): Promise<Report> {
    const { promise: ready, resolve } = Promise.withResolvers<Report>();
    this.#onReady = resolve;
    const restore =
      state === undefined ? undefined : this.#setup.directory.write("restore", Buffer.from(state, "latin1"));
    const started = this.#start(restore);
    if (!(await within(Promise.race([ready, started.exited]), START_MS)) || started.hasExited)
      throw shellLostError();
    const report = await ready;
    this.#cwd = report.cwd;
    // It has what the last command left, and nothing more to save.
    this.#savedSequence = this.#sequence;
    return report;
  }

  #take(report: Report): void {
    const [kind, sequence] = report.words;
    if (kind === "end") this.#onReport?.(report);
    if (kind === "ready") {
      this.#saved.wasStarted();
      this.#onReady?.(report);
    }
    if (kind === "saved") {
      this.#savedSequence = Number(sequence);
      this.#saved.wasSaved(this.#savedSequence);
      this.#jobs = report.jobs.flatMap((pid) => this.#bash?.childByInnerPid(pid) ?? []);
      // Often reported when the next command has started already.
      if (this.#savedSequence < this.#sequence) this.#earlierJobs = this.#jobs;
      this.#onSaved?.();
    }
  }

  /** Everything in the sessions of this shell and of those before it. */
  #members(): ProcessFacts[] {
    const own = this.#bash?.session;
    return [...(own === undefined ? [] : sessionMembers(own)), ...this.#former.members()];
  }
}
