/**
 * What the first calls need gets ready while the model thinks: the shell soon after the request has gone out, the kernel when the model has thought for a while
 * or names `python`. A kernel costs more than all the rest of a short run, so a model that answers at once does not cause one.
 */

import { type AgentEvent, type Message, OmpError } from "../protocol/index.ts";
import type { Services } from "./services.ts";
import type { AgentSessionOptions } from "./session-options.ts";

/** The request goes out first; and a model that answers at once is not kept waiting. */
const SHELL_AFTER_MS = 30;
/** Without a word of the model's answer. */
const KERNEL_AFTER_MS = 100;

export interface WarmUpOptions {
  readonly services: Services;
  readonly toolNames: () => readonly string[];
  readonly options: Pick<AgentSessionOptions, "dryRun" | "shared">;
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
  async *during(events: AsyncIterable<AgentEvent>): AsyncGenerator<AgentEvent, void, void> {
    const shell = setTimeout(() => this.#warmShell(), SHELL_AFTER_MS);
    const expected = setTimeout(() => this.#expectsCells && this.#warmKernel(), SHELL_AFTER_MS);
    const possible = setTimeout(() => this.#mayNeedCells && this.#warmKernel(), KERNEL_AFTER_MS);
    try {
      for await (const event of events) {
        if (event.type === "text_delta" || event.type === "tool_call") clearTimeout(possible);
        yield event;
      }
    } finally {
      for (const timer of [shell, expected, possible]) clearTimeout(timer);
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
    const { services, toolNames, options } = this.#options;
    return options.dryRun !== true && services.approval.mode !== "read-only" && toolNames().includes(tool);
  }

  /** Not a kernel on another machine, or of somebody else: those are not touched before a call needs them. */
  get #isOurs(): boolean {
    const { isBorrowed, isElsewhere } = this.#options.services.python.host;
    return !isBorrowed && !isElsewhere;
  }

  /** Of several subagents at once, few may. */
  get #mayNeedCells(): boolean {
    return this.#isOurs && this.#options.options.shared === undefined;
  }

  /** There is an input that only cells read, or the conversation has worked with cells. */
  get #expectsCells(): boolean {
    const { services, history } = this.#options;
    const hasUsedPython = () => history().some((each) => each.role === "tool" && each.name === "python");
    return this.#isOurs && (services.inputs.list.length > 0 || hasUsedPython());
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
