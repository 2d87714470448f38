/**
 * The pool of a session's kernels: reuse, queue, idle stop, restart. Sees only the kernel interface.
 *
 * Code is never run a second time. Whenever a kernel's state is gone without the caller having asked for it, the lease says
 * so in a sentence for the model.
 */

import { unlessAborted } from "../../async/abort.ts";
import { formatLimit } from "../../format/durations.ts";
import type { VariableHistory } from "../../protocol/time.ts";
import { kernelClosedError } from "../errors.ts";
import type { Kernel, KernelActivity, KernelHost } from "../kernel.ts";
import { Branches } from "./branches.ts";
import type { CheckpointLimits } from "./checkpoints.ts";
import { sessionHistory } from "./history.ts";
import { KernelSession } from "./session.ts";

export type { KernelActivity } from "../kernel.ts";

export interface PoolOptions {
  /** Closed with the pool. */
  readonly host: KernelHost;
  readonly mode: "session" | "per-call";
  /** A session unused for this long gives its kernel back; 0 keeps it. */
  readonly idleMs: number;
  /** Keeps kernels that hold something, however long they are unused: a user may work with their state. */
  readonly keepsState?: boolean | undefined;
  readonly maxSessions: number;
  /** How many checkpoints each session has; none unless given. */
  readonly checkpoints?: CheckpointLimits | undefined;
  /** An existing kernel, which omp has not started: it is never replaced, and never given up. */
  readonly isBorrowed?: boolean | undefined;
  /** Called at every change of a kernel's activity. */
  readonly onActivity?: ((activity: KernelActivity) => void) | undefined;
  /** Called when a kernel with state was stopped; the next lease says so, too. */
  readonly onStateLost?: ((why: string) => void) | undefined;
}

export interface LeaseRequest {
  readonly sessionId: string;
  readonly cwd: string;
  /** Start from an empty kernel. */
  readonly reset: boolean;
  readonly signal: AbortSignal;
  /** A copy of the session's kernel instead, which is made when it is first named. */
  readonly branch?: string | undefined;
  /** Whether one may be made; otherwise it has to be there. */
  readonly isBranchNew?: boolean | undefined;
  /** Kernels whose code waits for this use: theirs would wait for itself. */
  readonly waiting?: readonly object[] | undefined;
}

/** The right to use a kernel for one call: no other call runs code in it meanwhile. */
export interface KernelLease {
  readonly kernel: Kernel;
  /** Why earlier state is gone, in sentences; empty when it is not. */
  readonly stateLost: readonly string[];
  /** What else there is to know about the kernel, in sentences. */
  readonly remarks?: readonly string[] | undefined;
  /**
   * After the kernel died during the work: starts its successor, once until the caller asks for an empty one. Returns a sentence
   * that says so, or that it was given up. @param isWanted whether the code had asked for that end, as `exit()` does.
   */
  recover(isWanted?: boolean): Promise<Recovery>;
}

export interface Recovery {
  readonly restarted: boolean;
  readonly sentence: string;
  /** Python's own report of a crash, where it could make one. */
  readonly crashReport: string | undefined;
}

/** The result of a look: `busy` while code runs, `none` where no kernel outlives a call. */
export type Look<T> =
  | { readonly kind: "answer"; readonly value: T }
  | { readonly kind: "busy" }
  | { readonly kind: "none" };

/** A session, and the promise not to take its kernel away until it is released. */
interface Reservation {
  readonly session: KernelSession;
  readonly release: () => void;
}

export class KernelPool {
  readonly #options: PoolOptions;
  readonly #sessions = new Map<string, KernelSession>();
  readonly #perCall = new Set<KernelSession>();
  readonly #branches = new Map<string, Branches>();
  /** Why sessions lost their kernel to the idle limit or to a newer session, until it is reported. */
  readonly #evicted = new Map<string, string>();
  /** The end of the queue of new sessions. */
  #entrance: Promise<unknown> = Promise.resolve();
  readonly #closing = new AbortController();

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Runs `work` with the session's kernel, after everything that was asked for earlier. */
  async use<T>(request: LeaseRequest, work: (lease: KernelLease) => Promise<T>): Promise<T> {
    this.#closing.signal.throwIfAborted();
    request.signal.throwIfAborted();
    if (request.branch !== undefined) return await this.branches(request).use(request.branch, request, work);
    if (this.#options.mode === "per-call") return await this.#serveOnce(request, work);
    const { session, release } = await this.#reserve(request);
    try {
      const branches = this.#branches.get(keyOf(request));
      return await session.use(request, (lease) =>
        work({ ...lease, remarks: branches?.takeFailures() ?? [] }),
      );
    } finally {
      release();
      this.#armIdleTimer(keyOf(request), session);
    }
  }

  /** The session's kernel for what runs no code; started if there is none, and not waited for while it is busy. */
  async look<T>(
    request: Omit<LeaseRequest, "reset">,
    work: (kernel: Kernel) => Promise<T>,
  ): Promise<Look<T>> {
    this.#closing.signal.throwIfAborted();
    request.signal.throwIfAborted();
    if (request.branch !== undefined)
      return await this.branches(request).look(request.branch, request.signal, work);
    if (this.#options.mode === "per-call") return { kind: "none" };
    if (this.#sessions.get(keyOf(request))?.isBusy === true) return { kind: "busy" };
    const { session, release } = await this.#reserve(request);
    try {
      return { kind: "answer", value: await session.look(request.signal, work) };
    } finally {
      release();
      this.#armIdleTimer(keyOf(request), session);
    }
  }

  /** The session's kernel over time; undefined when it has had none. */
  sessionOf(request: Pick<LeaseRequest, "sessionId" | "cwd">): KernelSession | undefined {
    return this.#sessions.get(keyOf(request));
  }

  /** The copies of the session's kernel that go their own way. */
  branches(request: Pick<LeaseRequest, "sessionId" | "cwd">): Branches {
    const key = keyOf(request);
    const branches = this.#branches.get(key) ?? new Branches(() => this.#sessions.get(key));
    this.#branches.set(key, branches);
    return branches;
  }

  /** What the session's kernel was earlier, and back to that. */
  history(request: Pick<LeaseRequest, "sessionId" | "cwd">): VariableHistory {
    const { mode, isBorrowed } = this.#options;
    return sessionHistory(() => {
      if (mode === "per-call") return "no kernel outlives a call";
      // Also before it is used: it is not empty.
      return isBorrowed ? "omp did not start this kernel" : this.sessionOf(request);
    });
  }

  /** The kernels in use or waiting, newest last. */
  get sessions(): readonly KernelSession[] {
    return [...this.#sessions.values()];
  }

  async close(): Promise<void> {
    this.#closing.abort(kernelClosedError());
    const sessions = [...this.#sessions.values(), ...this.#perCall];
    this.#sessions.clear();
    await Promise.all([...sessions, ...this.#branches.values()].map((each) => each.close()));
    await this.#options.host.close();
  }

  async #serveOnce<T>(request: LeaseRequest, work: (lease: KernelLease) => Promise<T>): Promise<T> {
    const session = this.#newSession(request.cwd);
    this.#perCall.add(session);
    try {
      return await session.use(request, work);
    } finally {
      this.#perCall.delete(session);
      await session.close();
    }
  }

  async #reserve(request: SessionRequest): Promise<Reservation> {
    const known = this.#known(keyOf(request));
    if (known) return known;
    const signal = AbortSignal.any([request.signal, this.#closing.signal]);
    // One enters at a time, in order of arrival: so the limit holds however many arrive at once.
    const entering = this.#entrance.then(() => this.#enter(request, signal));
    this.#entrance = entering.catch(() => undefined);
    return await unlessAborted(entering, signal, ({ release }) => release());
  }

  /** Last used, last in the map: the first entry is the one to go. */
  #known(key: string): Reservation | undefined {
    const session = this.#sessions.get(key);
    if (!session) return undefined;
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
    return { session, release: session.reserve() };
  }

  async #enter(request: SessionRequest, signal: AbortSignal): Promise<Reservation> {
    const key = keyOf(request);
    while (true) {
      signal.throwIfAborted();
      const known = this.#known(key);
      if (known) return known;
      const sessions = [...this.#sessions];
      if (sessions.length < this.#options.maxSessions) break;
      const oldest = sessions.find(([, session]) => session.isIdle);
      if (oldest) await this.#evict(oldest[0], `more than ${this.#options.maxSessions} kernels were in use`);
      else await unlessAborted(Promise.race(sessions.map(([, session]) => session.whenIdle())), signal);
    }
    const session = this.#newSession(request.cwd, this.#evicted.get(key));
    this.#evicted.delete(key);
    this.#sessions.set(key, session);
    return { session, release: session.reserve() };
  }

  #newSession(cwd: string, lostBefore?: string): KernelSession {
    return new KernelSession({
      host: this.#options.host,
      cwd,
      lostBefore,
      isReplaced: this.#options.mode === "session",
      checkpoints: this.#options.checkpoints ?? NO_CHECKPOINTS,
      isBorrowed: this.#options.isBorrowed ?? false,
      onExhausted: () => this.#evictIdle("the machine had no room for more kernels"),
      onActivity: this.#options.onActivity,
    });
  }

  /** Stops the kernels that are not in use. Returns how many. */
  async #evictIdle(why: string): Promise<number> {
    const idle = [...this.#sessions].filter(([, session]) => session.isIdle);
    await Promise.all(idle.map(([key]) => this.#evict(key, why)));
    return idle.length;
  }

  async #evict(key: string, why: string): Promise<void> {
    const session = this.#sessions.get(key);
    if (!session) return;
    this.#sessions.delete(key);
    if (session.hasState || session.hasUnreportedLoss) this.#evicted.set(key, why);
    if (session.hasState) this.#options.onStateLost?.(why);
    await session.close();
  }

  #armIdleTimer(key: string, session: KernelSession): void {
    const { idleMs, keepsState = false } = this.#options;
    if (idleMs <= 0 || !session.isIdle || this.#closing.signal.aborted) return;
    session.idleTimer.arm(idleMs, () => {
      if (session.isIdle && !(keepsState && session.hasState) && this.#sessions.get(key) === session)
        void this.#evict(key, `it was not used for ${formatLimit(idleMs)}`);
    });
  }
}

const NO_CHECKPOINTS: CheckpointLimits = { count: 0, bytes: 0 };

/** Which session asks, and from which directory. */
type SessionRequest = Omit<LeaseRequest, "reset">;

function keyOf({ sessionId, cwd }: Pick<SessionRequest, "sessionId" | "cwd">): string {
  return `${sessionId}\0${cwd}`;
}
