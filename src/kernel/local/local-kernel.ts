/**
 * One kernel of ours: a process, its sockets, and the conversation over them. Owns everything that it was given at its start
 * and gives it all back when it ends, however it ends.
 */

import { rmSync } from "node:fs";
import { killGroup } from "../../process/group.ts";
import { sharedWatchdog } from "../../process/watchdog.ts";
import { within } from "../../process/within.ts";
import { KernelError } from "../errors.ts";
import { bootKernel, type KernelPlace } from "../jupyter/boot.ts";
import { JupyterClient } from "../jupyter/client.ts";
import type { Exchange } from "../jupyter/exchange.ts";
import type { TraceLine } from "../jupyter/trace.ts";
import type {
  ExecuteOptions,
  KernelConnectionInfo,
  KernelExit,
  KernelFacts,
  KernelHandle,
  KernelMessage,
  KernelQuestion,
  KernelState,
  MessageContent,
} from "../kernel.ts";
import { Channels } from "./channels.ts";
import { isComplete, readConnectionFile } from "./connection-file.ts";
import { interruptFirmly } from "./interrupt.ts";
import type { KernelProcess } from "./kernel-process.ts";

/** A kernel with a live child needs half a minute to shut down by itself; nobody waits that long. */
const SHUTDOWN_GRACE_MS = 1_000;
const HEARTBEAT_MS = 2_000;
const LAST_OUTPUT_MS = 500;
/** How long an iopub subscription may take to become live after the kernel answers on shell. */
const SUBSCRIPTION_MS = 250;
const PORT_POLL_MS = 5;
/** How long a kernel may take to come to rest after an interrupt that worked. */
const QUIET_MS = 3_000;

export interface LocalKernelParts {
  readonly id: string;
  readonly process: KernelProcess;
  readonly directory: string;
  readonly connectionFile: string;
  readonly connectionInfo: KernelConnectionInfo;
  readonly place: KernelPlace;
  readonly trace: TraceLine | undefined;
}

export class LocalKernel implements KernelHandle {
  readonly id: string;
  readonly exited: Promise<KernelExit>;
  readonly #parts: LocalKernelParts;
  readonly #client: JupyterClient;
  #info: KernelConnectionInfo;
  #channels: Channels | undefined;
  #facts: KernelFacts | undefined;
  #state: KernelState = "provisioning";
  #running: Exchange | undefined;
  #interrupting: Promise<void> | undefined;
  #expectsExit = false;
  #isGone = false;

  private constructor(parts: LocalKernelParts) {
    this.id = parts.id;
    this.#parts = parts;
    this.#info = parts.connectionInfo;
    this.#client = new JupyterClient((message) => this.#channels?.send(message));
    const releaseGroup = sharedWatchdog().guardGroup(parts.process.pid);
    this.exited = parts.process.exited.then(async (exit) => {
      const lastWords = parts.process.lastWords();
      // Its children live in its group and session: none of them outlives it.
      killGroup(parts.process.pid, "SIGKILL");
      releaseGroup();
      rmSync(parts.directory, { recursive: true, force: true });
      // The process is gone, what it said last may still wait to be read.
      if (this.#channels) await within(this.#channels.outputEnded, LAST_OUTPUT_MS);
      return this.#onExit({ ...exit, lastWords });
    });
  }

  /** Waits until the kernel answers, its output is subscribed and its start-up code has run. */
  static async start(parts: LocalKernelParts, signal: AbortSignal): Promise<LocalKernel> {
    const kernel = new LocalKernel(parts);
    const abandoned = new AbortController();
    const failure = new Promise<never>((_resolve, reject) => {
      void kernel.exited.then((exit) => reject(startError(exit)));
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      if (signal.aborted) reject(signal.reason);
    });
    try {
      await Promise.race([kernel.#becomeReady(AbortSignal.any([signal, abandoned.signal])), failure]);
    } catch (error) {
      abandoned.abort();
      // Sockets close a moment before the process is reaped: its exit says more than the lost connection.
      const patience = signal.aborted ? undefined : Bun.sleep(SUBSCRIPTION_MS);
      const exit = await Promise.race([kernel.exited, patience]);
      await kernel.shutdown({ graceMs: 0 });
      if (signal.aborted) throw signal.reason;
      throw exit ? startError(exit) : error;
    }
    return kernel;
  }

  get connectionInfo(): KernelConnectionInfo {
    return this.#info;
  }

  get state(): KernelState {
    return this.#state;
  }

  get facts(): KernelFacts {
    if (!this.#facts) throw new Error("a kernel has no facts before it is ready");
    return this.#facts;
  }

  /** Messages dropped because their signature or shape was wrong. */
  get rejectedMessages(): number {
    return this.#channels?.rejected ?? 0;
  }

  async *execute(code: string, options: ExecuteOptions = {}): AsyncGenerator<KernelMessage, void, void> {
    options.signal?.throwIfAborted();
    const exchange = this.#client.execute(code, {
      silent: options.silent ?? false,
      userExpressions: options.userExpressions ?? {},
    });
    this.#running = exchange;
    if (this.#state === "ready") this.#state = "executing";
    const onAbort = () => void this.interrupt();
    options.signal?.addEventListener("abort", onAbort, { once: true });
    try {
      yield* exchange;
    } finally {
      options.signal?.removeEventListener("abort", onAbort);
      if (!exchange.hasEnded) await this.interrupt();
      await this.#interrupting;
      this.#running = undefined;
      if (this.#state === "executing" || this.#state === "interrupted") this.#state = "ready";
    }
  }

  async ask(question: KernelQuestion, content: MessageContent): Promise<MessageContent> {
    const reply = await this.#client.request("shell", question, content, "reply").reply();
    return reply.content;
  }

  async interrupt(): Promise<void> {
    const running = this.#running;
    if (!running || running.hasEnded) return;
    this.#interrupting ??= this.#interrupt(running).finally(() => {
      this.#interrupting = undefined;
    });
    await this.#interrupting;
  }

  async isResponding(): Promise<boolean> {
    if (!this.#channels || this.#state === "dead" || this.#state === "shutdown") return false;
    return await this.#channels.beat(HEARTBEAT_MS);
  }

  takeLateOutput(): string {
    return this.#client.takeLateOutput();
  }

  async shutdown({ graceMs = SHUTDOWN_GRACE_MS }: { readonly graceMs?: number } = {}): Promise<void> {
    // Its process id may be somebody else's by now.
    if (this.#isGone) return;
    this.#expectsExit = true;
    this.#state = "shutdown";
    if (graceMs > 0) {
      this.#client.request("control", "shutdown_request", { restart: false });
      if (await within(this.exited, graceMs)) return;
    }
    killGroup(this.#parts.process.pid, "SIGKILL");
    await this.exited;
  }

  async #becomeReady(signal: AbortSignal): Promise<void> {
    while (!isComplete(this.#info)) {
      await Bun.sleep(PORT_POLL_MS);
      signal.throwIfAborted();
      this.#info = readConnectionFile(this.#parts.connectionFile) ?? this.#info;
    }
    this.#channels = await Channels.open({
      info: this.#info,
      signal,
      trace: this.#parts.trace,
      onMessage: (message) => this.#client.receive(message),
      onLost: () => void this.#onLost(),
    });
    const facts = bootKernel(this.#client, this.#parts.place);
    await Promise.all([facts, this.#subscribed(signal)]);
    this.#facts = await facts;
    if (this.#state === "provisioning") this.#state = "ready";
  }

  /** ipykernel 7 announces a live subscription, older ones do not; asking until iopub takes part works for both. */
  async #subscribed(signal: AbortSignal): Promise<void> {
    while (!(await within(this.#client.request("shell", "kernel_info_request", {}).ended, SUBSCRIPTION_MS))) {
      signal.throwIfAborted();
    }
  }

  async #interrupt(running: Exchange): Promise<void> {
    if (this.#state === "executing") this.#state = "interrupted";
    // Between two requests ipykernel ignores the signal.
    await within(running.begun, SUBSCRIPTION_MS);
    // ipykernel's event loop sleeps through the signal while a cell awaits something; any message wakes it.
    const nudge = () => {
      const next = this.#client.request("shell", "kernel_info_request", {});
      void next.ended.then(() => this.#client.concludeInterrupted(running));
    };
    const acknowledged: Promise<unknown>[] = [];
    const step = await interruptFirmly({
      pid: this.#parts.process.pid,
      requestInterrupt: () => {
        acknowledged.push(this.#client.request("control", "interrupt_request", {}).ended.then(nudge));
      },
      ended: running.replied,
    });
    if (step === "SIGKILL") return;
    await untilQuiet(running);
    // The signal may still be on its way when the code ends by itself: let it hit something else than the next cell.
    await within(Promise.all(acknowledged), QUIET_MS);
    if (!running.hasEnded || !(await this.#answersOnShell())) killGroup(this.#parts.process.pid, "SIGKILL");
  }

  /** Asks more than once: a request that a late interrupt hits has no reply. */
  async #answersOnShell(): Promise<boolean> {
    for (let attempt = 0; attempt < QUIET_MS / SUBSCRIPTION_MS; attempt += 1) {
      const asked = this.#client.request("shell", "kernel_info_request", {});
      if (await within(asked.ended, SUBSCRIPTION_MS)) return true;
    }
    return false;
  }

  /** A connection closed. Nearly always the process is about to end; if it is not, a kernel that we cannot hear is no use. */
  async #onLost(): Promise<void> {
    if (await within(this.exited, SHUTDOWN_GRACE_MS)) return;
    killGroup(this.#parts.process.pid, "SIGKILL");
  }

  #onExit(exit: KernelExit): KernelExit {
    this.#isGone = true;
    const final = this.#expectsExit ? { reason: "shut down", expected: true } : exit;
    this.#state = this.#expectsExit ? "shutdown" : "dead";
    this.#channels?.close();
    this.#client.fail(
      this.#expectsExit
        ? new KernelError({ kind: "closed", issue: "the kernel was shut down", code: "KERNEL_CLOSED" })
        : new KernelError({ kind: "died", issue: `the kernel died: ${exit.reason}`, code: "KERNEL_DIED" }),
    );
    return final;
  }
}

/** What the code printed before it ended may take a while: it is waited for as long as it comes. */
async function untilQuiet(running: Exchange): Promise<void> {
  for (let seen = -1; seen !== running.received; ) {
    seen = running.received;
    if (await within(running.ended, QUIET_MS)) return;
  }
}

function startError(exit: KernelExit): KernelError {
  const words = exit.lastWords?.trim().split("\n").at(-1);
  const why = words ? `: ${words}` : "";
  return new KernelError(
    {
      kind: "start-failed",
      issue: `the kernel ended while starting: ${exit.reason}${why}`,
      code: "KERNEL_START",
    },
    { cause: exit.lastWords },
  );
}
