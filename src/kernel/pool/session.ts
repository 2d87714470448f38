/** One session's kernel over time: started when first needed, replaced when it dies, used by one caller at a time. */

import { KernelError } from "../errors.ts";
import type { KernelHandle, PythonKernelOperations } from "../kernel.ts";
import { IdleTimer } from "./idle-timer.ts";
import type { KernelLease, LeaseRequest } from "./pool.ts";

/** A kernel that was left alone for longer than this is asked whether it still answers before code is sent to it. */
const TRUSTED_FOR_MS = 10_000;

export interface SessionOptions {
  readonly operations: PythonKernelOperations;
  readonly cwd: string;
  /** Why an earlier kernel of this session is gone, when nobody has been told yet. */
  readonly lostBefore: string | undefined;
  /** Makes room on the machine; returns how many kernels were given back. */
  readonly onExhausted: () => Promise<number>;
}

export class KernelSession {
  readonly idleTimer = new IdleTimer();
  readonly #options: SessionOptions;
  #kernel: KernelHandle | undefined;
  #lost: string[] = [];
  /** Since code last ended in an orderly way. */
  #crashes = 0;
  #lastAliveAt = 0;
  #waiting = 0;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(options: SessionOptions) {
    this.#options = options;
    if (options.lostBefore !== undefined) this.#lost.push(lostSentence(`stopped: ${options.lostBefore}`));
  }

  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  /** Whether there is a kernel whose loss somebody would notice. */
  get hasState(): boolean {
    return this.#kernel !== undefined;
  }

  get kernel(): KernelHandle | undefined {
    return this.#kernel;
  }

  async whenIdle(): Promise<void> {
    while (!this.isIdle) await this.#tail;
  }

  async use<T>(request: LeaseRequest, work: (lease: KernelLease) => Promise<T>): Promise<T> {
    this.idleTimer.disarm();
    this.#waiting += 1;
    const turn = this.#tail.then(() => this.#take(request, work));
    // The next in line waits for the end of this one, not for its success.
    this.#tail = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#waiting -= 1;
    }
  }

  async close(): Promise<void> {
    this.idleTimer.disarm();
    await this.#drop();
  }

  async #take<T>(request: LeaseRequest, work: (lease: KernelLease) => Promise<T>): Promise<T> {
    request.signal.throwIfAborted();
    const kernel = await this.#ready(request);
    const stateLost = this.#lost.splice(0);
    try {
      return await work({
        kernel,
        stateLost,
        succeeded: () => {
          this.#crashes = 0;
        },
        recover: () => this.#recover(),
      });
    } finally {
      this.#lastAliveAt = Date.now();
    }
  }

  /** The kernel to use now: the one there is if it is well, else a new one. */
  async #ready({ reset, signal }: LeaseRequest): Promise<KernelHandle> {
    if (reset) return await this.#reset(signal);
    if (this.#crashes > 1) throw givenUp();
    const kernel = this.#kernel;
    if (kernel && !(await this.#isWell(kernel))) {
      const exit = await Promise.race([kernel.exited, Promise.resolve(undefined)]);
      this.#lost.push(
        lostSentence(exit ? `died between two calls: ${exit.reason}` : "did not answer any more"),
      );
      await this.#drop();
    }
    this.#kernel ??= await this.#start(signal);
    return this.#kernel;
  }

  /** The old kernel ends while the new one starts, and is gone before code runs: it may hold memory, ports or locks. */
  async #reset(signal: AbortSignal): Promise<KernelHandle> {
    this.#crashes = 0;
    this.#lost = [];
    const gone = this.#drop();
    this.#kernel = await this.#start(signal).finally(() => gone);
    return this.#kernel;
  }

  async #isWell(kernel: KernelHandle): Promise<boolean> {
    if (kernel.state !== "ready") return false;
    if (Date.now() - this.#lastAliveAt < TRUSTED_FOR_MS) return true;
    return await this.#options.operations.isResponding(kernel);
  }

  async #start(signal?: AbortSignal): Promise<KernelHandle> {
    const { operations, cwd, onExhausted } = this.#options;
    const start = () => operations.startKernel({ cwd, ...(signal ? { signal } : {}) });
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof KernelError) || error.kind !== "exhausted" || (await onExhausted()) === 0)
        throw error;
      return await start();
    }
  }

  async #recover(): Promise<{ restarted: boolean; sentence: string }> {
    this.#crashes += 1;
    const exit = this.#kernel ? await this.#kernel.exited : undefined;
    await this.#drop();
    const reason = exit?.reason ?? "ended";
    if (this.#crashes > 1) {
      return { restarted: false, sentence: `The kernel died again: ${reason}. ${GIVEN_UP}` };
    }
    try {
      this.#kernel = await this.#start();
    } catch (error) {
      if (!(error instanceof KernelError)) throw error;
      return {
        restarted: false,
        sentence: `The kernel died: ${reason}; a new one could not be started: ${error.message}`,
      };
    }
    return { restarted: true, sentence: lostSentence(`died: ${reason}`) };
  }

  async #drop(): Promise<void> {
    const kernel = this.#kernel;
    this.#kernel = undefined;
    if (kernel) await this.#options.operations.shutdown(kernel);
  }
}

const GIVEN_UP = "It is not started again by itself; call python with reset: true for a new one.";

function lostSentence(what: string): string {
  return `The kernel ${what}. A new one was started: all variables, imports and other state are gone.`;
}

function givenUp(): KernelError {
  return new KernelError({
    kind: "died",
    issue: `the kernel died twice in a row. ${GIVEN_UP}`,
    code: "KERNEL_GIVEN_UP",
  });
}
