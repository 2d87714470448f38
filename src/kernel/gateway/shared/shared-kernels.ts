/**
 * Kernels in the gateway that all omp processes of the user share. The gateway may be killed at any time: kernels of the old one
 * are dead then, and the next start goes to a new one.
 */

import { unlessAborted } from "../../../async/abort.ts";
import { KernelError } from "../../errors.ts";
import type {
  ClosableOperations,
  ExecuteOptions,
  KernelHandle,
  KernelMessage,
  KernelQuestion,
  MessageContent,
  StartKernelOptions,
} from "../../kernel.ts";
import type { GatewayLease } from "./lease.ts";

export interface SharedKernelsOptions {
  /** Finds the gateway, or starts it. */
  readonly acquire: (signal: AbortSignal) => Promise<GatewayLease>;
  /** Instead of one that has no room left; gives the old lease back. */
  readonly restart: (lease: GatewayLease, signal: AbortSignal) => Promise<GatewayLease>;
  /** @param onMade to be told each kernel's id before anything can end it for being nobody's. */
  readonly kernelsIn: (lease: GatewayLease, onMade: (id: string) => void) => ClosableOperations;
}

interface Gateway {
  readonly lease: GatewayLease;
  readonly operations: ClosableOperations;
  readonly kernelIds: Set<string>;
}

export class SharedKernels implements ClosableOperations {
  readonly #options: SharedKernelsOptions;
  readonly #homes = new WeakMap<KernelHandle, Gateway>();
  /** Those that were used, the newest last. */
  readonly #gateways = new Set<Gateway>();
  readonly #closing = new AbortController();
  #current: Promise<Gateway> | undefined;

  constructor(options: SharedKernelsOptions) {
    this.#options = options;
  }

  async startKernel(options: StartKernelOptions): Promise<KernelHandle> {
    const signal = AbortSignal.any([this.#closing.signal, ...(options.signal ? [options.signal] : [])]);
    signal.throwIfAborted();
    const before = this.#current;
    if (before !== undefined && !(await unlessAborted(isHealthy(before), signal))) this.#forget(before);
    const gateway = await this.#gateway();
    try {
      return await this.#startIn(gateway, { ...options, signal });
    } catch (error) {
      if (signal.aborted || !(error instanceof KernelError)) throw error;
      // One that was just found is as good as it gets; one from before may be gone since.
      if (error.kind === "gateway" && before !== undefined) this.#forget(before);
      // While kernels of ours are in it, their owner has to give up those that nobody uses.
      else if (isFull(error) && gateway.kernelIds.size === 0) this.#replace(gateway);
      else throw error;
      return await this.#startIn(await this.#gateway(), { ...options, signal });
    }
  }

  sendExecute(handle: KernelHandle, code: string, options?: ExecuteOptions): AsyncIterable<KernelMessage> {
    return this.#home(handle).sendExecute(handle, code, options);
  }

  async ask(
    handle: KernelHandle,
    question: KernelQuestion,
    content: MessageContent,
  ): Promise<MessageContent> {
    return await this.#home(handle).ask(handle, question, content);
  }

  async interrupt(handle: KernelHandle): Promise<void> {
    await this.#home(handle).interrupt(handle);
  }

  async shutdown(handle: KernelHandle): Promise<void> {
    await this.#home(handle).shutdown(handle);
  }

  async isResponding(handle: KernelHandle): Promise<boolean> {
    return await this.#home(handle).isResponding(handle);
  }

  takeLateOutput(handle: KernelHandle): string {
    return this.#home(handle).takeLateOutput(handle);
  }

  async close(): Promise<void> {
    this.#closing.abort(new KernelError({ kind: "closed", issue: "omp is ending", code: "KERNEL_CLOSED" }));
    // One that is just being started is waited for: it has to be given back.
    await this.#current?.catch(() => undefined);
    for (const { operations, lease } of this.#gateways) {
      await operations.close();
      lease.release();
    }
  }

  async #gateway(): Promise<Gateway> {
    this.#current ??= this.#opened(this.#options.acquire(this.#closing.signal));
    const current = this.#current;
    try {
      return await current;
    } catch (error) {
      this.#forget(current);
      throw error;
    }
  }

  #forget(gateway: Promise<Gateway>): void {
    if (this.#current === gateway) this.#current = undefined;
  }

  #replace(full: Gateway): void {
    // Another start of ours may have found it full, too.
    if (!this.#gateways.delete(full)) return;
    const successor = full.operations
      .close()
      .then(() => this.#options.restart(full.lease, this.#closing.signal));
    this.#current = this.#opened(successor);
  }

  async #opened(acquired: Promise<GatewayLease>): Promise<Gateway> {
    const lease = await acquired;
    const kernelIds = new Set<string>();
    const operations = this.#options.kernelsIn(lease, (id) => {
      kernelIds.add(id);
      lease.ownKernels([...kernelIds]);
    });
    const gateway = { lease, operations, kernelIds };
    this.#gateways.add(gateway);
    return gateway;
  }

  async #startIn(gateway: Gateway, options: StartKernelOptions): Promise<KernelHandle> {
    const handle = await gateway.operations.startKernel(options);
    this.#homes.set(handle, gateway);
    void handle.exited.then(() => {
      gateway.kernelIds.delete(handle.id);
      gateway.lease.ownKernels([...gateway.kernelIds]);
    });
    return handle;
  }

  #home(handle: KernelHandle): ClosableOperations {
    const gateway = this.#homes.get(handle);
    if (gateway === undefined) throw new Error(`kernel ${handle.id} was not started here`);
    return gateway.operations;
  }
}

/** One that is still being started is as good as that start. */
async function isHealthy(gateway: Promise<Gateway>): Promise<boolean> {
  const found = await gateway.catch(() => undefined);
  return found === undefined || (await found.lease.isHealthy());
}

/** It leaks descriptors with every kernel it ends, and starts none when it has no more. */
function isFull(error: KernelError): boolean {
  return error.kind === "exhausted" || /too many open files|EMFILE/i.test(error.message);
}
