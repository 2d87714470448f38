/** One kernel behind a gateway: the link to it and the conversation over that. Ends it there when it ends here. */

import { unlessAborted } from "../../async/abort.ts";
import { within } from "../../async/within.ts";
import { KernelError } from "../errors.ts";
import { bootKernel, type KernelPlace } from "../jupyter/boot.ts";
import { Conversation } from "../jupyter/conversation.ts";
import type { TraceLine } from "../jupyter/trace.ts";
import type {
  ExecuteOptions,
  KernelExit,
  KernelFacts,
  KernelHandle,
  KernelMessage,
  KernelQuestion,
  KernelState,
  MessageContent,
} from "../kernel.ts";
import type { GatewayClient } from "./gateway-client.ts";
import { KernelLink } from "./kernel-link.ts";
import { readRateNotice } from "./rate-notice.ts";
import { recover } from "./recovery.ts";
import { Replay } from "./replay.ts";

/** A server that is busy passing on a flood of output hears of an interrupt late. */
const PATIENCE_MS = 6_000;
const RESPONSE_MS = 2_000;
/** How often a gateway is asked, while code runs, whether it still has the kernel: it does not tell. */
const LOOK_MS = 5_000;
/** And when a cell is not even begun. */
const FIRST_LOOK_MS = 1_000;
/** Ending a kernel takes a server up to ten seconds; it goes on with that when nobody waits any more. */
const REMOVAL_MS = 3_000;
const REMOVAL_PAUSE_MS = 250;
const INTERRUPT_MS = 500;

export interface GatewayKernelParts {
  readonly client: GatewayClient;
  readonly kernelId: string;
  readonly place: KernelPlace;
  /** Extension modules that could not be sent. */
  readonly unreadModules: KernelFacts["failedModules"];
  readonly reconnectLimitMs: number;
  readonly silenceMs: number;
  readonly trace: TraceLine | undefined;
  /** Continues a gateway that was stopped. */
  readonly wake: (() => void) | undefined;
  /** Told when the gateway has ended the kernel for us. */
  readonly onRemoved: () => void;
}

export class GatewayKernel implements KernelHandle {
  readonly id: string;
  readonly connectionInfo = undefined;
  readonly exited: Promise<KernelExit>;
  readonly #parts: GatewayKernelParts;
  readonly #conversation: Conversation;
  readonly #replay: Replay;
  #settleExit: (exit: KernelExit) => void = () => undefined;
  #link: KernelLink | undefined;
  #facts: KernelFacts | undefined;
  #kernelSession: string | undefined;
  #isGone = false;
  #recoveries = 0;
  #removal: Promise<void> = Promise.resolve();

  private constructor(parts: GatewayKernelParts) {
    this.id = parts.kernelId;
    this.#parts = parts;
    this.#conversation = new Conversation({
      send: (message) => this.#link?.send(message),
      interruptOutside: () => void this.#interruptOutside(),
      patienceMs: PATIENCE_MS,
      kill: () => this.#die(this.#link?.isConnected ? DEAF : UNHEARD),
    });
    this.#replay = new Replay((message) => this.#conversation.client.receive(message));
    this.exited = new Promise((resolve) => {
      this.#settleExit = resolve;
    });
  }

  /** Waits until the kernel answers, its output is subscribed and its start-up code has run. */
  static async start(parts: GatewayKernelParts, signal: AbortSignal): Promise<GatewayKernel> {
    const kernel = new GatewayKernel(parts);
    const failure = new Promise<never>((_resolve, reject) => {
      void kernel.exited.then(({ reason }) => reject(startError(reason)));
    });
    const abandoned = new AbortController();
    try {
      const ready = kernel.#becomeReady(AbortSignal.any([signal, abandoned.signal]));
      await unlessAborted(Promise.race([ready, failure]), signal);
    } catch (error) {
      abandoned.abort();
      await kernel.shutdown();
      throw error;
    }
    return kernel;
  }

  /** Settles when the gateway has ended the kernel that is gone, or has had its time to. */
  get removed(): Promise<void> {
    return this.#removal;
  }

  get state(): KernelState {
    return this.#conversation.state;
  }

  get facts(): KernelFacts {
    if (!this.#facts) throw new Error("a kernel has no facts before it is ready");
    return this.#facts;
  }

  async *execute(code: string, options?: ExecuteOptions): AsyncGenerator<KernelMessage, void, void> {
    const look = () => this.#look();
    const isUnheard = () => this.#conversation.running?.received === 0;
    const first = setTimeout(() => isUnheard() && look(), FIRST_LOOK_MS);
    const watch = setInterval(look, LOOK_MS);
    try {
      yield* this.#conversation.execute(code, options);
    } finally {
      clearTimeout(first);
      clearInterval(watch);
    }
  }

  ask(question: KernelQuestion, content: MessageContent): Promise<MessageContent> {
    return this.#conversation.ask(question, content);
  }

  interrupt(): Promise<void> {
    return this.#conversation.interrupt();
  }

  /** There is no heartbeat behind a gateway; the control channel answers while code runs. */
  async isResponding(): Promise<boolean> {
    if (this.#conversation.isOver) return false;
    const asked = this.#conversation.client.request("control", "kernel_info_request", {}).ended;
    if (await within(asked, RESPONSE_MS)) return !this.#conversation.isOver;
    await this.#look();
    return false;
  }

  takeLateOutput(): string {
    return this.#conversation.client.takeLateOutput();
  }

  /** Resolves when the gateway has ended it, or has had its time to. */
  async shutdown(): Promise<void> {
    if (!this.#isGone) {
      const isBusy = this.#conversation.running !== undefined;
      const exit = { reason: "shut down", expected: true };
      this.#end(exit);
      this.#removal = this.#remove({ isBusy });
      void this.#removal.then(() => this.#settleExit(exit));
    }
    await this.#removal;
  }

  async #becomeReady(signal: AbortSignal): Promise<void> {
    const { client, kernelId, place, reconnectLimitMs, silenceMs, trace } = this.#parts;
    const { client: jupyter } = this.#conversation;
    const link = await KernelLink.open(
      {
        client,
        kernelId,
        session: jupyter.session,
        reconnectLimitMs,
        silenceMs,
        trace,
        onMessage: (message) => this.#receive(message),
        onReconnected: () => void this.#recover(),
        onLost: (reason) => this.#die(reason),
      },
      signal,
    );
    this.#link = link;
    if (this.#isGone) link.close();
    const facts = bootKernel(jupyter, place);
    await Promise.all([facts, this.#conversation.subscribed(signal)]);
    const { failedModules, ...others } = await facts;
    this.#facts = { ...others, failedModules: [...this.#parts.unreadModules, ...failedModules] };
    this.#conversation.becomeReady();
  }

  #receive(message: KernelMessage): void {
    const { channel, header } = message;
    if (channel === "shell") this.#kernelSession ??= header.session;
    this.#checkProcess(message);
    // On its way out by somebody's wish; the gateway knows whose.
    if (channel === "iopub" && header.msg_type === "shutdown_reply") void this.#look();
    const { client, running } = this.#conversation;
    this.#replay.accept(
      readRateNotice(message, {
        gateway: this.#parts.client.address.name,
        session: client.session,
        kernelSession: this.#kernelSession,
        running: running?.id,
      }),
    );
  }

  /** Every process has a session of its own, by which a new one in the kernel's place is known. */
  #checkProcess({ channel, header, content }: KernelMessage): void {
    const { session, msg_type: type } = header;
    if (this.#kernelSession === undefined || session === this.#kernelSession) return;
    const state = channel === "iopub" && type === "status" ? content["execution_state"] : undefined;
    if (session === this.#conversation.client.session) {
      // Said by the gateway, which watches the process and speaks in our name.
      if (state === "restarting") this.#die(ENDED_BY_ITSELF);
      if (state === "dead") this.#die("its process ended");
    } else if (channel !== "iopub" || state !== undefined) this.#die(STARTED_ANEW);
  }

  async #recover(): Promise<void> {
    this.#recoveries += 1;
    const number = this.#recoveries;
    const { client, running } = this.#conversation;
    await recover({
      client,
      replay: this.#replay,
      running,
      kernelSession: this.#kernelSession,
      isCurrent: () => number === this.#recoveries && !this.#isGone,
      onRestarted: () => this.#die(STARTED_ANEW),
    });
  }

  async #look(): Promise<void> {
    this.#parts.wake?.();
    await this.#link?.look();
  }

  async #interruptOutside(): Promise<void> {
    const { client, kernelId, trace, wake } = this.#parts;
    wake?.();
    await client.interrupt(kernelId).catch((error: unknown) => trace?.(`-- ${String(error)}`));
  }

  #die(reason: string): void {
    if (this.#isGone) return;
    const exit = { reason, expected: false };
    this.#end(exit);
    this.#settleExit(exit);
    // There may be a new process in its place, which nobody wants.
    this.#removal = this.#remove({ isBusy: false });
  }

  #end(exit: KernelExit): void {
    this.#isGone = true;
    this.#link?.close();
    this.#conversation.end(exit);
  }

  async #remove({ isBusy }: { readonly isBusy: boolean }): Promise<void> {
    const { client, kernelId, trace, onRemoved } = this.#parts;
    const limit = AbortSignal.timeout(REMOVAL_MS);
    // A busy kernel would be asked politely for seconds before it is killed.
    if (isBusy) await within(this.#interruptOutside(), INTERRUPT_MS);
    for (;;) {
      try {
        await client.remove(kernelId, limit);
        return onRemoved();
      } catch (error) {
        trace?.(`-- ${kernelId} was not ended: ${String(error)}`);
        // Jupyter servers fail (500) to end a kernel that they are just starting anew.
        const isRestarting = error instanceof KernelError && error.code === "GATEWAY_ERROR";
        if (!isRestarting || limit.aborted) return;
        await Bun.sleep(REMOVAL_PAUSE_MS);
      }
    }
  }
}

const DEAF = "it did not listen to an interrupt, and was ended";
const UNHEARD =
  "it could not be interrupted, because the connection to its gateway is broken, and was given up";
const ENDED_BY_ITSELF = "its process ended, and the gateway started an empty one in its place";
const STARTED_ANEW = "the gateway started an empty one in its place";

function startError(reason: string): KernelError {
  const issue = `the kernel ended while starting: ${reason}`;
  return new KernelError({ kind: "start-failed", issue, code: "KERNEL_START" });
}
