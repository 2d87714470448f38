/** What every place for kernels does the same way: limits starts, knows its kernels, hands calls on to them, ends them all. */

import { KernelError } from "./errors.ts";
import type {
  ExecuteOptions,
  KernelHandle,
  KernelMessage,
  KernelQuestion,
  MessageContent,
  PythonKernelOperations,
  StartKernelOptions,
} from "./kernel.ts";

/** A kernel as the class that made it knows it. */
export interface StartedKernel extends KernelHandle {
  execute(code: string, options?: ExecuteOptions): AsyncIterable<KernelMessage>;
  ask(question: KernelQuestion, content: MessageContent): Promise<MessageContent>;
  interrupt(): Promise<void>;
  shutdown(): Promise<void>;
  isResponding(): Promise<boolean>;
  takeLateOutput(): string;
  /** Of kernels that others use, too. */
  untilFree?(): Promise<void>;
}

export abstract class StartedKernels implements PythonKernelOperations {
  readonly #startTimeoutMs: number;
  /** Those that may still need to be ended. */
  readonly #kernels = new Set<StartedKernel>();
  readonly #known = new WeakMap<KernelHandle, StartedKernel>();
  readonly #starts = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  constructor({ startTimeoutMs }: { readonly startTimeoutMs: number }) {
    this.#startTimeoutMs = startTimeoutMs;
  }

  /** Ends with the signal: the caller's, the time limit's, or that of `close`. */
  protected abstract launch(options: StartKernelOptions, signal: AbortSignal): Promise<StartedKernel>;

  /** What to say when the time was over, and what would help. */
  protected abstract slowStart(seconds: number): string;

  /** Settles when nothing is left of a kernel that has ended. */
  protected async cleared(_kernel: StartedKernel): Promise<void> {
    // Most are cleared with their end.
  }

  protected get isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  async startKernel(options: StartKernelOptions): Promise<KernelHandle> {
    const timeLimit = new AbortController();
    const limitMs = this.#startTimeoutMs;
    const timer = setTimeout(() => timeLimit.abort(this.#startTimeout(limitMs / 1000)), limitMs);
    const signals = [timeLimit.signal, this.#closing.signal, ...(options.signal ? [options.signal] : [])];
    const start = this.launch(options, AbortSignal.any(signals));
    const settled = start.catch(() => undefined);
    this.#starts.add(settled);
    try {
      const kernel = await start;
      this.#kernels.add(kernel);
      this.#known.set(kernel, kernel);
      void kernel.exited.then(() => this.cleared(kernel)).then(() => this.#kernels.delete(kernel));
      return kernel;
    } finally {
      clearTimeout(timer);
      this.#starts.delete(settled);
    }
  }

  sendExecute(handle: KernelHandle, code: string, options?: ExecuteOptions): AsyncIterable<KernelMessage> {
    return this.#own(handle).execute(code, options);
  }

  async ask(
    handle: KernelHandle,
    question: KernelQuestion,
    content: MessageContent,
  ): Promise<MessageContent> {
    return await this.#own(handle).ask(question, content);
  }

  async interrupt(handle: KernelHandle): Promise<void> {
    await this.#own(handle).interrupt();
  }

  async shutdown(handle: KernelHandle): Promise<void> {
    await this.#own(handle).shutdown();
  }

  async isResponding(handle: KernelHandle): Promise<boolean> {
    return await this.#own(handle).isResponding();
  }

  takeLateOutput(handle: KernelHandle): string {
    return this.#own(handle).takeLateOutput();
  }

  async untilFree(handle: KernelHandle): Promise<void> {
    await this.#own(handle).untilFree?.();
  }

  /** Ends every kernel, and every start. */
  async close(): Promise<void> {
    this.#closing.abort(new KernelError({ kind: "closed", issue: "omp is ending", code: "KERNEL_CLOSED" }));
    await this.#endAll();
    await Promise.all(this.#starts);
    // One may have become ready just before.
    await this.#endAll();
  }

  async #endAll(): Promise<void> {
    await Promise.all([...this.#kernels].map((kernel) => kernel.shutdown()));
  }

  #startTimeout(seconds: number): KernelError {
    const issue = this.slowStart(seconds);
    return new KernelError({ kind: "start-failed", issue, code: "KERNEL_START_TIMEOUT" });
  }

  #own(handle: KernelHandle): StartedKernel {
    const kernel = this.#known.get(handle);
    if (kernel) return kernel;
    throw new Error(`kernel ${handle.id} was not started here`);
  }
}
