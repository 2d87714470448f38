/**
 * Kernels by session: who gets which, how long it lives, what happens when it dies. Sees only the kernel interface.
 *
 * Code is never run a second time. Whenever a kernel's state is gone without the caller having asked for it, the lease says
 * so in a sentence for the model.
 */

import { KernelError } from "../errors.ts";
import type { KernelHandle, PythonKernelOperations } from "../kernel.ts";
import { KernelSession } from "./session.ts";

export interface PoolOptions {
  readonly operations: PythonKernelOperations;
  readonly mode: "session" | "per-call";
  /** A session unused for this long gives its kernel back; 0 keeps it. */
  readonly idleMs: number;
  readonly maxSessions: number;
}

export interface LeaseRequest {
  readonly sessionId: string;
  readonly cwd: string;
  /** Start from an empty kernel. */
  readonly reset: boolean;
  readonly signal: AbortSignal;
}

/** A kernel, for as long as the work takes; nobody else runs code in it meanwhile. */
export interface KernelLease {
  readonly kernel: KernelHandle;
  /** Why earlier state is gone, in sentences; empty when it is not. */
  readonly stateLost: readonly string[];
  /** To be called for each piece of code that ended in an orderly way: crashes are counted from the last one. */
  succeeded(): void;
  /**
   * After the kernel died during the work: starts its successor, once. Returns a sentence that says so, or that it was
   * given up.
   */
  recover(): Promise<{ readonly restarted: boolean; readonly sentence: string }>;
}

export class KernelPool {
  readonly #options: PoolOptions;
  readonly #sessions = new Map<string, KernelSession>();
  /** Sessions that lost their kernel to the idle limit or to a newer session, until they are told. */
  readonly #evicted = new Map<string, string>();
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Runs `work` with the session's kernel, after everything that was asked for earlier. */
  async use<T>(request: LeaseRequest, work: (lease: KernelLease) => Promise<T>): Promise<T> {
    if (this.#closed)
      throw new KernelError({ kind: "closed", issue: "omp is ending", code: "KERNEL_CLOSED" });
    if (this.#options.mode === "per-call") return await this.#useOnce(request, work);
    const session = await this.#session(request);
    try {
      return await session.use(request, work);
    } finally {
      this.#armIdleTimer(request, session);
    }
  }

  /** The kernels in use or waiting, newest last. */
  get sessions(): readonly KernelSession[] {
    return [...this.#sessions.values()];
  }

  async close(): Promise<void> {
    this.#closed = true;
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(sessions.map((session) => session.close()));
  }

  async #useOnce<T>(request: LeaseRequest, work: (lease: KernelLease) => Promise<T>): Promise<T> {
    const session = this.#newSession(request.cwd);
    try {
      return await session.use(request, work);
    } finally {
      await session.close();
    }
  }

  async #session(request: LeaseRequest): Promise<KernelSession> {
    const key = keyOf(request);
    let session = this.#sessions.get(key);
    if (!session) {
      session = this.#newSession(request.cwd, this.#evicted.get(key));
      this.#evicted.delete(key);
    }
    // Last used, last in the map: the first entry is the one to go.
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
    await this.#makeRoom(session);
    return session;
  }

  #newSession(cwd: string, lostBefore?: string): KernelSession {
    return new KernelSession({
      operations: this.#options.operations,
      cwd,
      lostBefore,
      onExhausted: () => this.#evictIdle("the machine had no room for more kernels"),
    });
  }

  async #makeRoom(newest: KernelSession): Promise<void> {
    while (this.#sessions.size > this.#options.maxSessions) {
      const others = [...this.#sessions].filter(([, session]) => session !== newest);
      const oldest = others.find(([, session]) => session.isIdle);
      if (oldest) await this.#evict(oldest[0], `more than ${this.#options.maxSessions} kernels were in use`);
      else await Promise.race(others.map(([, session]) => session.whenIdle()));
    }
  }

  /** Gives back the kernels that nobody uses right now. Returns how many. */
  async #evictIdle(why: string): Promise<number> {
    const idle = [...this.#sessions].filter(([, session]) => session.isIdle);
    await Promise.all(idle.map(([key]) => this.#evict(key, why)));
    return idle.length;
  }

  async #evict(key: string, why: string): Promise<void> {
    const session = this.#sessions.get(key);
    if (!session) return;
    this.#sessions.delete(key);
    if (session.hasState) this.#evicted.set(key, why);
    await session.close();
  }

  #armIdleTimer(request: LeaseRequest, session: KernelSession): void {
    const { idleMs } = this.#options;
    if (idleMs <= 0) return;
    session.idleTimer.arm(idleMs, () => {
      if (session.isIdle)
        void this.#evict(keyOf(request), `it was not used for ${Math.round(idleMs / 1000)} seconds`);
    });
  }
}

function keyOf({ sessionId, cwd }: LeaseRequest): string {
  return `${sessionId}\0${cwd}`;
}
