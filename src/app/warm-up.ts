/**
 * What the first calls need gets ready while the model thinks: the shell soon after the request has gone out, the kernel when the model names `python`. A kernel costs more than all the rest of a short run, so it is not started on suspicion; a cell takes
 * longer to write than a kernel to start.
 */

import { type Message, OmpError } from "../protocol/index.ts";
import type { Services } from "./services.ts";

/** The request goes out first; and a model that answers at once is not kept waiting. */
const AFTER_MS = 30;

export interface WarmUpOptions {
  readonly services: Services;
  readonly toolNames: () => readonly string[];
  /** Nothing is executed. */
  readonly dryRun: boolean;
  /** The conversation until now. */
  readonly history: () => readonly Message[];
}

export class WarmUp {
  readonly #options: WarmUpOptions;
  readonly #ended = new AbortController();
  #isShellReady = false;
  #isKernelReady = false;

  constructor(options: WarmUpOptions) {
    this.#options = options;
  }

  /** The run's events, unchanged: what may be needed gets ready while the model thinks. */
  async *during<Event>(events: AsyncIterable<Event>): AsyncGenerator<Event, void, void> {
    const timer = setTimeout(() => {
      this.#warmShell();
      if (this.#expectsCells) this.#warmKernel();
    }, AFTER_MS);
    try {
      yield* events;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The model has begun to write a call. */
  named(tool: string): void {
    if (tool === "bash") this.#warmShell();
    if (tool === "python") this.#warmKernel();
  }

  close(): void {
    this.#ended.abort();
  }

  #mayStart(tool: string): boolean {
    const { services, toolNames, dryRun } = this.#options;
    return !dryRun && services.approval.mode !== "read-only" && toolNames().includes(tool);
  }

  /** There is an input that only cells read, or the conversation has worked with cells. */
  get #expectsCells(): boolean {
    const { services, history } = this.#options;
    const { isBorrowed, isElsewhere } = services.python.host;
    if (isBorrowed || isElsewhere) return false;
    const hasUsedPython = history().some((each) => each.role === "tool" && each.name === "python");
    return hasUsedPython || services.inputs.list.length > 0;
  }

  #warmShell(): void {
    if (this.#isShellReady || !this.#mayStart("bash")) return;
    this.#isShellReady = true;
    void this.#attempt(() => this.#options.services.shells.warmUp());
  }

  #warmKernel(): void {
    if (this.#isKernelReady || !this.#mayStart("python")) return;
    this.#isKernelReady = true;
    void this.#attempt(() => this.#options.services.python.warmUp(this.#ended.signal));
  }

  /** What fails here fails again in the call, which says so. */
  async #attempt(start: () => Promise<unknown>): Promise<void> {
    try {
      await start();
    } catch (error) {
      if (!(error instanceof OmpError) && !this.#ended.signal.aborted) throw error;
    }
  }
}
