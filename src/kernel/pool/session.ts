/** One session's kernel over time: started when first needed, replaced when it dies, used by one caller at a time. */

import { describeEnd, KernelError, kernelClosedError, kernelWaitsError } from "../errors.ts";
import type { Kernel, KernelActivity, KernelExit } from "../kernel.ts";
import { Checkpoints } from "./checkpoints.ts";
import type { KernelLease, LeaseRequest, Recovery } from "./pool.ts";
import { Reservable } from "./reservable.ts";
import type { SessionOptions } from "./session-options.ts";
import { TurnQueue } from "./turn-queue.ts";
import {
  BACK_AGAIN,
  borrowedGone,
  borrowedLost,
  crashReport,
  GIVEN_UP,
  givenUpError,
  type Loss,
  lostSentence,
  WANTED_EXIT,
} from "./words.ts";

/** A kernel that was left alone for longer than this is asked whether it still answers before code is sent to it. */
const TRUSTED_FOR_MS = 10_000;

export class KernelSession extends Reservable {
  readonly #options: SessionOptions;
  #kernel: Kernel | undefined;
  /** In which code has run; `none` once an empty one was asked for. */
  #usedKernel: Kernel | "none" | undefined;
  #lost: Loss[] = [];
  /** How kernels ended that were replaced by themselves, since the caller last asked for an empty one: one may be. */
  #deaths: KernelExit[] = [];
  #lastAliveAt = 0;
  #starting: Promise<Kernel> | undefined;
  /** Callers that run code, or wait for their turn to. */
  #workers = 0;
  #isWorking = false;
  #hasFailed = false;
  #reported: KernelActivity = "none";
  readonly #closing = new AbortController();
  readonly #turns = new TurnQueue(this.#closing.signal);
  readonly checkpoints: Checkpoints;

  constructor(options: SessionOptions) {
    super();
    this.#options = options;
    this.checkpoints = new Checkpoints(options.checkpoints);
    if (options.lostBefore !== undefined)
      this.#lose(describeEnd({ reason: options.lostBefore, endedBy: "omp" }));
  }

  /** Whether there is a kernel whose loss matters: code has run in it, ours or, in an existing kernel, that of others. */
  get hasState(): boolean {
    return this.#kernel !== undefined && (this.#options.isBorrowed || this.#kernel === this.#usedKernel);
  }

  /** One that holds state and runs no code. */
  get usableKernel(): Kernel | undefined {
    return this.hasState && this.#kernel?.state === "ready" ? this.#kernel : undefined;
  }

  /** Whether state was lost that has not been reported yet. */
  get hasUnreportedLoss(): boolean {
    return this.#lost.length > 0;
  }

  get kernel(): Kernel | undefined {
    return this.#kernel;
  }

  /** Whether a call runs code in it, or waits to. */
  get isBusy(): boolean {
    return this.#workers > 0;
  }

  get activity(): KernelActivity {
    if (this.#starting) return "starting";
    if (this.#isWorking) return "busy";
    if (this.#hasFailed || this.#kernel?.state === "dead") return "dead";
    return this.#kernel ? "idle" : "none";
  }

  /** Runs `work` with the kernel, after everything that was asked for earlier. */
  async use<T>(request: LeaseRequest, work: (lease: KernelLease) => Promise<T>): Promise<T> {
    if (this.#kernel && request.waiting?.includes(this.#kernel)) throw kernelWaitsError();
    this.#workers += 1;
    try {
      return await this.inTurn(request.signal, () => this.#run(request, work));
    } finally {
      this.#workers -= 1;
    }
  }

  async #run<T>(request: LeaseRequest, work: (lease: KernelLease) => Promise<T>): Promise<T> {
    if (this.usableKernel) await this.checkpoints.takeIfStale(this.usableKernel, request.signal);
    const kernel = await this.#ready(request);
    this.checkpoints.noteCode();
    const stateLost = this.#lost.splice(0).map(({ sentence }) => sentence);
    this.#usedKernel = kernel;
    this.#isWorking = true;
    this.#reportActivity();
    try {
      return await work({ kernel, stateLost, recover: (isWanted) => this.#recover(isWanted) });
    } finally {
      this.#lastAliveAt = Date.now();
      this.#isWorking = false;
      this.#reportActivity();
      if (this.usableKernel) this.checkpoints.noteChanged(this.usableKernel);
    }
  }

  /** The kernel, started if need be, for what runs no code. What was lost is still reported to the next call that runs some. */
  async look<T>(signal: AbortSignal, work: (kernel: Kernel) => Promise<T>): Promise<T> {
    return await this.inTurn(signal, async () => await work(await this.#ready({ reset: false, signal })));
  }

  /** After everything that was asked for earlier. */
  async inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const release = this.reserve();
    const turn = this.#turns.enter(signal);
    try {
      await turn.begun;
      return await work();
    } finally {
      turn.end();
      release();
    }
  }

  /** The kernel that there was is ended at once: at its exit it would remove what the other, a copy of it, still uses. */
  async exchange(kernel: Kernel | undefined): Promise<void> {
    const old = this.#kernel;
    this.#kernel = kernel;
    this.#usedKernel = kernel;
    this.#lost = [];
    this.#deaths = [];
    this.#hasFailed = false;
    this.#lastAliveAt = Date.now();
    void kernel?.exited.then(() => this.#reportActivity());
    this.#reportActivity();
    await old?.shutdown({ graceMs: 0 });
  }

  /** The kernel lives on elsewhere. */
  release(): Kernel | undefined {
    const kernel = this.#kernel;
    this.#kernel = undefined;
    return kernel;
  }

  async close(): Promise<void> {
    this.idleTimer.disarm();
    this.#closing.abort(kernelClosedError());
    await Promise.all([this.#drop(), this.checkpoints.close()]);
    await this.#starting?.catch(() => undefined);
  }

  #reportActivity(): void {
    const { activity } = this;
    if (activity === this.#reported) return;
    this.#reported = activity;
    this.#options.onActivity?.(activity);
  }

  /** The kernel to use now: the one there is if it is well, else a new one. */
  async #ready({ reset, signal }: Pick<LeaseRequest, "reset" | "signal">): Promise<Kernel> {
    if (reset) return await this.#reset(signal);
    const kernel = this.#kernel;
    // Started ahead, and another interpreter is chosen by now.
    if (kernel && !this.hasState && (await this.#options.host.isCurrent?.(kernel, signal)) === false)
      await this.#drop();
    else if (kernel && !(await this.#isWell(kernel))) {
      const exit = await Promise.race([kernel.exited, Promise.resolve(undefined)]);
      if (this.hasState)
        this.#lose(exit ? describeEnd(exit, "between two calls") : "stopped responding", kernel);
      if (exit && exit.endedBy === undefined) this.#deaths.push(exit);
      await this.#drop();
    }
    if (this.#givenUp) throw givenUpError(this.#givenUp);
    return this.#kernel ?? (await this.#start(signal));
  }

  /** The old kernel ends while the new one starts, and is gone before code runs: it may hold memory, ports or locks. */
  async #reset(signal: AbortSignal): Promise<Kernel> {
    this.#deaths = [];
    this.#lost = [];
    this.#usedKernel = "none";
    const gone = this.#drop();
    return await this.#start(signal).finally(() => gone);
  }

  async #isWell(kernel: Kernel): Promise<boolean> {
    if (kernel.state !== "ready") return false;
    if (kernel.isConnected && Date.now() - this.#lastAliveAt < TRUSTED_FOR_MS) return true;
    return await kernel.isResponding();
  }

  async #start(signal?: AbortSignal): Promise<Kernel> {
    this.#starting = this.#tryToStart(signal).finally(() => {
      this.#starting = undefined;
    });
    this.#reportActivity();
    try {
      const kernel = await this.#starting;
      this.#hasFailed = false;
      return kernel;
    } catch (error) {
      this.#hasFailed =
        !(error instanceof KernelError && error.kind === "closed") && signal?.aborted !== true;
      throw error;
    } finally {
      this.#reportActivity();
    }
  }

  async #tryToStart(callerSignal: AbortSignal | undefined): Promise<Kernel> {
    const { host, cwd, onExhausted, lostBefore } = this.#options;
    const signal = AbortSignal.any([this.#closing.signal, ...(callerSignal ? [callerSignal] : [])]);
    const start = () => host.start({ cwd, signal, isFirst: !this.#usedKernel && lostBefore === undefined });
    const kernel = await start().catch(async (error: unknown) => {
      const isExhaustion = error instanceof KernelError && error.kind === "exhausted";
      if (!isExhaustion || (await onExhausted()) === 0) throw error;
      return await start();
    });
    if (this.#closing.signal.aborted) {
      await kernel.shutdown();
      throw kernelClosedError();
    }
    this.#kernel = kernel;
    // Only the connection to it was lost.
    this.#lost = this.#lost.filter(({ kernelId }) => kernelId !== kernel.id);
    void kernel.exited.then(() => this.#reportActivity());
    return kernel;
  }

  async #recover(isWanted = false): Promise<Recovery> {
    const kernel = this.#kernel;
    const found = (await kernel?.exited) ?? { reason: "it ended", expected: false };
    const exit: KernelExit = isWanted ? { ...found, ...WANTED_EXIT } : found;
    await this.#drop();
    const outcome = this.#options.isBorrowed
      ? await this.#findAgain(kernel?.id, describeEnd(exit))
      : await this.#replace(exit);
    return { ...outcome, crashReport: crashReport(exit.lastWords) };
  }

  async #replace(exit: KernelExit): Promise<Pick<Recovery, "restarted" | "sentence">> {
    const end = describeEnd(exit);
    if (!this.#options.isReplaced) return { restarted: false, sentence: `The kernel ${end}.` };
    if (exit.endedBy !== "user" && exit.endedBy !== "code") this.#deaths.push(exit);
    if (this.#givenUp) {
      this.#hasFailed = true;
      return { restarted: false, sentence: `The kernel ${describeEnd(exit, "again")}. ${GIVEN_UP}` };
    }
    try {
      await this.#start();
    } catch (error) {
      if (!(error instanceof KernelError)) throw error;
      return {
        restarted: false,
        sentence: `The kernel ${end}; a new one could not be started: ${error.message}`,
      };
    }
    return { restarted: true, sentence: lostSentence(end) };
  }

  /** The end after which no kernel is started by itself. */
  get #givenUp(): KernelExit | undefined {
    return this.#deaths[1];
  }

  /** Its owner may have restarted it already, or only the connection broke. */
  async #findAgain(id: string | undefined, what: string): Promise<Pick<Recovery, "restarted" | "sentence">> {
    try {
      const { id: found } = await this.#start();
      if (found === id) return { restarted: false, sentence: BACK_AGAIN };
    } catch (error) {
      if (!(error instanceof KernelError)) throw error;
      return { restarted: false, sentence: borrowedGone(what) };
    }
    return { restarted: true, sentence: borrowedLost(what) };
  }

  #lose(what: string, kernel?: Kernel): void {
    const sentence = this.#options.isBorrowed ? borrowedLost(what) : lostSentence(what);
    this.#lost.push({ sentence, kernelId: kernel?.id });
  }

  async #drop(): Promise<void> {
    const kernel = this.#kernel;
    this.#kernel = undefined;
    this.#reportActivity();
    await kernel?.shutdown();
  }
}
