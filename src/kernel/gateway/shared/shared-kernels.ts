/**
 * Kernels in the gateway that all omp processes of the user share. The gateway may be killed at any time: kernels of the old one
 * are dead then, and the next start goes to a new one.
 */

import { unlessAborted } from "../../../async/abort.ts";
import { KernelError, kernelClosedError } from "../../errors.ts";
import type { Kernel, KernelHost, StartKernelOptions } from "../../kernel.ts";
import type { GatewayLease, SharedGateway } from "./shared-gateway.ts";

const LOOK_MS = 500;

export interface SharedKernelsOptions {
  readonly gateway: SharedGateway;
  /** @param onMade to be called with each kernel's id before anything can end it because no omp claims it. */
  readonly kernelsIn: (lease: GatewayLease, onMade: (id: string) => void) => KernelHost;
}

interface UsedGateway {
  readonly lease: GatewayLease;
  readonly host: KernelHost;
  readonly kernelIds: Set<string>;
}

export class SharedKernels implements KernelHost {
  readonly #options: SharedKernelsOptions;
  /** Those that were used, the newest last. */
  readonly #gateways = new Set<UsedGateway>();
  readonly #closing = new AbortController();
  #current: Promise<UsedGateway> | undefined;

  constructor(options: SharedKernelsOptions) {
    this.#options = options;
  }

  async start(options: StartKernelOptions): Promise<Kernel> {
    const signal = AbortSignal.any([this.#closing.signal, ...(options.signal ? [options.signal] : [])]);
    signal.throwIfAborted();
    const before = this.#current;
    if (before !== undefined && !(await unlessAborted(isHealthy(before), signal))) this.#forget(before);
    const gateway = await this.#acquire();
    try {
      return await startIn(gateway, { ...options, signal });
    } catch (error) {
      if (signal.aborted || !(error instanceof KernelError)) throw error;
      // One that was just found is as good as it gets; an earlier one may be gone by now.
      if (error.kind === "gateway" && before !== undefined) this.#forget(before);
      // While kernels of ours are in it, their owner has to give up those that are not in use.
      else if (isFull(error) && gateway.kernelIds.size === 0) this.#replace(gateway);
      else throw error;
      return await startIn(await this.#acquire(), { ...options, signal });
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(kernelClosedError());
    // One that is just being started is waited for: its lease has to be released.
    await this.#current?.catch(() => undefined);
    for (const { host, lease } of this.#gateways) {
      await host.close();
      lease.release();
    }
  }

  async #acquire(): Promise<UsedGateway> {
    this.#current ??= this.#open(this.#options.gateway.acquire({ signal: this.#closing.signal }));
    const current = this.#current;
    try {
      return await current;
    } catch (error) {
      this.#forget(current);
      throw error;
    }
  }

  #forget(gateway: Promise<UsedGateway>): void {
    if (this.#current === gateway) this.#current = undefined;
  }

  #replace(full: UsedGateway): void {
    // Another start of ours may have found it full, too.
    if (!this.#gateways.delete(full)) return;
    const { signal } = this.#closing;
    this.#current = this.#open(
      full.host.close().then(() => this.#options.gateway.restart(full.lease, { signal })),
    );
  }

  async #open(acquired: Promise<GatewayLease>): Promise<UsedGateway> {
    const lease = await acquired;
    const kernelIds = new Set<string>();
    const host = this.#options.kernelsIn(lease, (id) => {
      kernelIds.add(id);
      lease.ownKernels([...kernelIds]);
    });
    const gateway = { lease, host, kernelIds };
    this.#gateways.add(gateway);
    return gateway;
  }
}

async function startIn(
  { host, lease, kernelIds }: UsedGateway,
  options: StartKernelOptions,
): Promise<Kernel> {
  lease.requireDescriptors();
  const kernel = await unlessFull(lease, (signal) => host.start({ ...options, signal }), options.signal);
  void kernel.exited.then(() => {
    kernelIds.delete(kernel.id);
    lease.ownKernels([...kernelIds]);
  });
  return kernel;
}

/** A start that the gateway cannot finish is given up when that is known. */
async function unlessFull<T>(
  lease: GatewayLease,
  start: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const full = new AbortController();
  const look = () => {
    try {
      lease.requireDescriptors();
    } catch (error) {
      full.abort(error);
    }
  };
  const watch = setInterval(look, LOOK_MS);
  try {
    return await start(AbortSignal.any([full.signal, ...(signal ? [signal] : [])]));
  } finally {
    clearInterval(watch);
  }
}

/** One that is still being started is as good as that start. */
async function isHealthy(gateway: Promise<UsedGateway>): Promise<boolean> {
  const found = await gateway.catch(() => undefined);
  return found === undefined || (await found.lease.isHealthy());
}

/** It leaks descriptors with every kernel it ends, and starts none when it has no more. */
function isFull(error: KernelError): boolean {
  return error.kind === "exhausted" || /too many open files|EMFILE/i.test(error.message);
}
