/** The checkpoints of one session's kernels: made when code has run since the last, given up by number and by memory, the oldest first. */

import type { VariableCheckpoint } from "../../protocol/time.ts";
import type { Kernel, ParkedKernel } from "../kernel.ts";

/** Before code runs, one is made only if the last is older than this: a model may run many short cells. */
const FRESH_MS = 5_000;
/** After one could not be made, none is tried again by itself for so long: some obstacles take seconds to be found. */
const DISCOURAGED_MS = 60_000;
/** After code has run, it is let rest for so many times as long as weighing took: the system counts pages for it, of every checkpoint. */
const WEIGHING_SHARE = 2;

export interface CheckpointLimits {
  /** How many there may be; 0: none is made. */
  readonly count: number;
  /** How much memory they may hold in addition to the kernel. */
  readonly bytes: number;
}

export type CheckpointOutcome =
  | { readonly kind: "kept"; readonly checkpoint: Kept }
  | { readonly kind: "impossible"; readonly reason: string };

export interface Kept extends VariableCheckpoint {
  readonly parked: ParkedKernel;
}

export class Checkpoints {
  readonly #limits: CheckpointLimits;
  /** Oldest first. */
  #kept: Kept[] = [];
  /** Holds what the session's kernel holds now: no code has run since. */
  #current: Kept | undefined;
  #lastAt = 0;
  #notBefore = 0;
  #weighing: Promise<void> | undefined;
  #weighAgainAt = 0;
  #later: ReturnType<typeof setTimeout> | undefined;

  constructor(limits: CheckpointLimits) {
    this.#limits = limits;
  }

  /** Code is about to run, or may have. */
  noteCode(): void {
    this.#current = undefined;
  }

  /** The session's kernel is one that was woken from this, and no code has run in it. */
  noteRestored(checkpoint: Kept | undefined): void {
    this.#current = checkpoint;
  }

  /** The one that holds what the session's kernel holds now. */
  get current(): Kept | undefined {
    return this.#current?.parked.isAlive === true ? this.#current : undefined;
  }

  find(id: string): Kept | undefined {
    return this.#kept.find((each) => each.id === id && each.parked.isAlive);
  }

  /** The newest one when no code has run since. */
  async take(kernel: Kernel, signal: AbortSignal): Promise<CheckpointOutcome> {
    const { count } = this.#limits;
    if (count === 0) return { kind: "impossible", reason: "the setting python.checkpoints is 0" };
    if (this.current !== undefined) return { kind: "kept", checkpoint: this.current };
    const { parked, reason } = await tryToPark(kernel, signal);
    if (parked === undefined) {
      // Another kernel may be in the place of one that has ended.
      if (kernel.state !== "dead") this.#notBefore = Date.now() + DISCOURAGED_MS;
      return { kind: "impossible", reason };
    }
    const checkpoint = { id: crypto.randomUUID(), at: Date.now(), notHeld: parked.notHeld, parked };
    this.#kept.push(checkpoint);
    this.#current = checkpoint;
    this.#lastAt = checkpoint.at;
    void parked.exited.then(() => this.#forget(checkpoint));
    while (this.#kept.length > count) this.#dropOldest();
    this.#startWeighing(kernel);
    return { kind: "kept", checkpoint };
  }

  /** For a branch: a checkpoint, or where none are kept a copy for this alone, which ends when it is released. */
  async copy(kernel: Kernel, signal: AbortSignal): Promise<Parked & { readonly release?: () => void }> {
    if (this.#limits.count === 0) {
      const tried = await tryToPark(kernel, signal);
      return { ...tried, release: () => tried.parked?.drop() };
    }
    const taken = await this.take(kernel, signal);
    return taken.kind === "kept" ? { parked: taken.checkpoint.parked } : { reason: taken.reason };
  }

  /** Code has run: what the kernel has written to is held by checkpoints alone from then on. */
  noteChanged(kernel: Kernel): void {
    if (this.#kept.length < 2 || this.#later !== undefined) return;
    if (this.#weighing !== undefined) {
      // It may have counted before.
      void this.#weighing.then(() => this.noteChanged(kernel));
      return;
    }
    this.#later = setTimeout(
      () => {
        this.#later = undefined;
        if (kernel.state === "ready" || kernel.state === "executing") this.#startWeighing(kernel);
      },
      Math.max(0, this.#weighAgainAt - performance.now()),
    );
    this.#later.unref();
  }

  /** Before code runs in a kernel in which some has run: what cannot be kept is not worth a word here. */
  async takeIfStale(kernel: Kernel, signal: AbortSignal): Promise<void> {
    const now = Date.now();
    const isFresh = now - this.#lastAt < FRESH_MS;
    if (this.#limits.count === 0 || isFresh || now < this.#notBefore || kernel.state !== "ready") return;
    await this.take(kernel, signal);
  }

  async close(): Promise<void> {
    clearTimeout(this.#later);
    const kept = this.#kept.splice(0);
    for (const { parked } of kept) parked.drop();
    await Promise.all(kept.map(({ parked }) => parked.exited));
  }

  #startWeighing(kernel: Kernel): void {
    const startedAt = performance.now();
    this.#weighing ??= this.#weigh(kernel).finally(() => {
      this.#weighing = undefined;
      const now = performance.now();
      this.#weighAgainAt = now + (now - startedAt) * WEIGHING_SHARE;
    });
  }

  /**
   * What checkpoints hold in addition to the kernel: everything that is in memory because of any of them, without what the kernel has
   * anyway. Counting what each has for itself would miss what two of them share.
   */
  async #weigh(kernel: Kernel): Promise<void> {
    while (this.#kept.length > 1) {
      const [own, ...each] = await Promise.all([
        kernel.memory?.(),
        ...this.#kept.map(({ parked }) => parked.memory()),
      ]);
      const known = each.filter((memory) => memory !== undefined);
      const shared = known.reduce((sum, { proportionalBytes }) => sum + proportionalBytes, 0);
      const alone = known.reduce((sum, { privateBytes }) => sum + privateBytes, 0);
      const held = shared + (own === undefined ? 0 : own.proportionalBytes - own.residentBytes);
      if (Math.max(held, alone) <= this.#limits.bytes) return;
      this.#dropOldest();
    }
  }

  #dropOldest(): void {
    this.#kept.shift()?.parked.drop();
  }

  #forget(checkpoint: Kept): void {
    this.#kept = this.#kept.filter((each) => each !== checkpoint);
    if (this.#current === checkpoint) this.#current = undefined;
  }
}

type Parked =
  | { readonly parked: ParkedKernel; readonly reason?: never }
  | { readonly parked?: never; readonly reason: string };

async function tryToPark(kernel: Kernel, signal: AbortSignal): Promise<Parked> {
  const parking = await kernel.park?.(signal);
  if (parking?.kind === "parked") return { parked: parking.parked };
  const { gateway } = kernel.facts.location;
  const elsewhere = gateway === undefined ? "omp did not start this kernel" : "the kernel runs in a gateway";
  return { reason: parking?.reason ?? elsewhere };
}
