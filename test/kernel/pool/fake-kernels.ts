/** Kernels without a process, for the pool: below it, this is the wire. Starts and ends are recorded, and can be held back. */

import { KernelError } from "../../../src/kernel/errors.ts";
import type {
  Kernel,
  KernelExit,
  KernelHost,
  KernelMessage,
  KernelState,
  MessageContent,
  StartKernelOptions,
} from "../../../src/kernel/kernel.ts";

export class FakeKernel implements Kernel {
  readonly connectionInfo = undefined;
  readonly facts = {
    pythonVersion: "3",
    executable: "python",
    ipykernelVersion: "7",
    pid: 0,
    location: { gateway: undefined, host: "here", cwd: "/", seesOurFiles: true },
    failedModules: [],
    bootProblems: [],
    helpers: [],
  };
  readonly #exit = Promise.withResolvers<KernelExit>();
  readonly exited = this.#exit.promise;
  state: KernelState = "ready";
  responds = true;
  isConnected = true;

  constructor(
    readonly id: string,
    readonly cwd: string,
    readonly host: FakeKernels,
  ) {}

  die(reason: string, endedBy?: KernelExit["endedBy"]): void {
    this.state = "dead";
    this.#exit.resolve({ reason, expected: false, endedBy });
  }

  async shutdown(): Promise<void> {
    await this.host.shutdownGate;
    if (this.state === "dead") return;
    this.state = "shutdown";
    this.#exit.resolve({ reason: "shut down", expected: true });
  }

  execute(code: string): AsyncIterable<KernelMessage> {
    this.host.executed.push(`${this.id}: ${code}`);
    return new ReadableStream({ start: (controller) => controller.close() });
  }

  async ask(): Promise<MessageContent> {
    return {};
  }

  answerAbout(): void {
    // Its code asks nothing.
  }

  async untilFree(): Promise<void> {
    return undefined;
  }

  async interrupt(): Promise<void> {
    return undefined;
  }

  async isResponding(): Promise<boolean> {
    return this.responds;
  }

  takeLateOutput(): string {
    return "";
  }

  takeLateDisplays(): readonly KernelMessage[] {
    return [];
  }
}

export class FakeKernels implements KernelHost {
  /** Every kernel ever started, in order. */
  readonly started: FakeKernel[] = [];
  /** Every start that was asked for, including those that failed. */
  readonly asked: StartKernelOptions[] = [];
  /** Code that was sent, by kernel: nothing is ever sent by the pool itself. */
  readonly executed: string[] = [];
  /** Each start takes the next of these, if there is one: an error to fail with, or something to wait for. */
  readonly starts: (Error | Promise<unknown>)[] = [];
  /** Shutting down waits for this. */
  shutdownGate: Promise<unknown> | undefined;
  mostAtOnce = 0;
  closed = false;

  get alive(): string[] {
    return this.started.filter(({ state }) => state === "ready").map(({ id }) => id);
  }

  async start(options: StartKernelOptions): Promise<FakeKernel> {
    this.asked.push(options);
    const next = this.starts.shift();
    if (next instanceof Error) throw next;
    await next;
    options.signal?.throwIfAborted();
    const kernel = new FakeKernel(`k${this.started.length + 1}`, options.cwd, this);
    this.started.push(kernel);
    this.mostAtOnce = Math.max(this.mostAtOnce, this.alive.length);
    return kernel;
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

export const exhausted = new KernelError({ kind: "exhausted", issue: "no room", code: "EMFILE" });
export const startFailed = new KernelError({ kind: "start-failed", issue: "no luck", code: "KERNEL_START" });
