/** What every host does the same way: limits starts, knows its kernels, ends them all. */

import { formatLimit } from "../format/durations.ts";
import { KernelError, kernelClosedError } from "./errors.ts";
import type { Kernel, KernelHost, StartKernelOptions } from "./kernel.ts";

/** An extension module may take this part of the time that a start may take: one that hangs must leave room for the rest. */
export const MODULE_SHARE = 4;

export abstract class StartedKernels<K extends Kernel> implements KernelHost {
  readonly #startTimeoutMs: number;
  /** Those that may still need to be ended. */
  readonly #kernels = new Set<K>();
  readonly #starts = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  constructor({ startTimeoutMs }: { readonly startTimeoutMs: number }) {
    this.#startTimeoutMs = startTimeoutMs;
  }

  /** Ends with the signal: the caller's, the time limit's, or that of `close`. */
  protected abstract launch(options: StartKernelOptions, signal: AbortSignal): Promise<K>;

  /** What to say when the time limit has passed, and what would help. */
  protected abstract describeSlowStart(limit: string): string;

  /** Settles when nothing is left of a kernel that has ended. */
  protected async untilCleared(_kernel: K): Promise<void> {
    // For most that is when they end.
  }

  protected get isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  async start(options: StartKernelOptions): Promise<K> {
    return await this.keep((signal) => this.launch(options, signal), options.signal);
  }

  /** A kernel that is made in this way is one of those that end with the host, and has the same time to become ready. */
  protected async keep(launch: (signal: AbortSignal) => Promise<K>, callerSignal?: AbortSignal): Promise<K> {
    const timeLimit = new AbortController();
    const timer = setTimeout(() => timeLimit.abort(this.#startTimeoutError()), this.#startTimeoutMs);
    const signals = [timeLimit.signal, this.#closing.signal, ...(callerSignal ? [callerSignal] : [])];
    const start = launch(AbortSignal.any(signals));
    const settled = start.catch(() => undefined);
    this.#starts.add(settled);
    try {
      const kernel = await start;
      this.#kernels.add(kernel);
      void kernel.exited.then(() => this.untilCleared(kernel)).then(() => this.#kernels.delete(kernel));
      return kernel;
    } finally {
      clearTimeout(timer);
      this.#starts.delete(settled);
    }
  }

  /** Ends every kernel, and every start. */
  async close(): Promise<void> {
    this.#closing.abort(kernelClosedError());
    await this.#endAll();
    await Promise.all(this.#starts);
    // One may have become ready just before.
    await this.#endAll();
  }

  async #endAll(): Promise<void> {
    await Promise.all([...this.#kernels].map((kernel) => kernel.shutdown()));
  }

  #startTimeoutError(): KernelError {
    const issue = this.describeSlowStart(formatLimit(this.#startTimeoutMs));
    return new KernelError({ kind: "start-failed", issue, code: "KERNEL_START_TIMEOUT" });
  }
}
