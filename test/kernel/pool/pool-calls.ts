/** A pool over fake kernels, and the calls that tests make of it. */

import { type KernelLease, KernelPool, type PoolOptions } from "../../../src/kernel/pool/pool.ts";
import { FakeKernels } from "./fake-kernels.ts";

export const GONE = "A new one was started: all variables, imports and other state are gone.";
export const GIVEN_UP = "It is not restarted automatically; call python with reset: true for a new one.";

export interface Call {
  readonly cwd?: string;
  readonly reset?: boolean;
  readonly signal?: AbortSignal;
  readonly work?: (lease: KernelLease) => Promise<unknown>;
}

export function setUp(options: Partial<PoolOptions> = {}) {
  const kernels = new FakeKernels();
  const pool = new KernelPool({
    host: kernels,
    mode: "session",
    idleMs: 0,
    maxSessions: 4,
    ...options,
  });
  /** One call: says which kernel it got and what was lost before it. */
  const use = (sessionId: string, call: Call = {}) => {
    const { cwd = "/project", reset = false, signal = new AbortController().signal, work } = call;
    return pool.use({ sessionId, cwd, reset, signal }, async (lease) => {
      await work?.(lease);
      return { kernel: lease.kernel.id, lost: lease.stateLost };
    });
  };
  return { kernels, pool, use };
}

/** A call that holds its kernel until it is let go. */
export function held() {
  const begun = Promise.withResolvers<KernelLease>();
  const letGo = Promise.withResolvers<void>();
  const work = async (lease: KernelLease) => {
    begun.resolve(lease);
    await letGo.promise;
  };
  return { work, begun: begun.promise, letGo: () => letGo.resolve() };
}

/** Work that only says whether it ran. */
export function witness() {
  const seen = { ran: false, work: async () => void Object.assign(seen, { ran: true }) };
  return seen;
}

export async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => "no error",
    (error) => error,
  );
}
