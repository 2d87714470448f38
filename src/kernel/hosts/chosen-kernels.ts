/**
 * Kernels of the interpreter that is chosen when they start. Each choice has a host of its own, with its fork server; one that is not
 * chosen any more ends with its last kernel.
 */

import { kernelClosedError } from "../errors.ts";
import type { Kernel, KernelHost, StartKernelOptions } from "../kernel.ts";
import type { Launch } from "./launches.ts";

export interface ChosenKernelsOptions {
  /** What the next kernel is started with. */
  readonly next: (signal: AbortSignal) => Promise<Launch>;
  readonly open: (launch: Launch) => KernelHost;
  readonly close: () => void;
}

interface Chosen {
  readonly key: string;
  readonly host: KernelHost;
  readonly kernels: Set<Kernel>;
  starts: number;
}

export class ChosenKernels implements KernelHost {
  readonly #options: ChosenKernelsOptions;
  readonly #all = new Set<Chosen>();
  readonly #closing = new AbortController();
  #current: Chosen | undefined;

  constructor(options: ChosenKernelsOptions) {
    this.#options = options;
  }

  async start(options: StartKernelOptions): Promise<Kernel> {
    const signal = AbortSignal.any([this.#closing.signal, ...(options.signal ? [options.signal] : [])]);
    const launch = await this.#options.next(signal);
    signal.throwIfAborted();
    const chosen = this.#choose(launch);
    chosen.starts += 1;
    try {
      const kernel = await chosen.host.start(options);
      chosen.kernels.add(kernel);
      void kernel.exited.then(() => {
        chosen.kernels.delete(kernel);
        this.#retire(chosen);
      });
      return kernel;
    } finally {
      chosen.starts -= 1;
      this.#retire(chosen);
    }
  }

  /** Whether a kernel that would be started now would be of the same interpreter, as that is now. */
  async isCurrent(kernel: Kernel, signal: AbortSignal): Promise<boolean> {
    const { key } = await this.#options.next(AbortSignal.any([signal, this.#closing.signal]));
    return [...this.#all].some((chosen) => chosen.key === key && chosen.kernels.has(kernel));
  }

  async close(): Promise<void> {
    this.#closing.abort(kernelClosedError());
    this.#options.close();
    await Promise.all([...this.#all].map(({ host }) => host.close()));
  }

  #choose(launch: Launch): Chosen {
    const before = this.#current;
    if (before?.key === launch.key) return before;
    const chosen = {
      key: launch.key,
      host: this.#options.open(launch),
      kernels: new Set<Kernel>(),
      starts: 0,
    };
    this.#all.add(chosen);
    this.#current = chosen;
    if (before !== undefined) this.#retire(before);
    return chosen;
  }

  #retire(chosen: Chosen): void {
    if (chosen === this.#current || chosen.kernels.size > 0 || chosen.starts > 0) return;
    if (this.#all.delete(chosen)) void chosen.host.close();
  }
}
