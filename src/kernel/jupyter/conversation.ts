/**
 * A kernel as its users know it: runs cells, ends them when asked, and says how it stands. What carries the messages, and what a
 * transport can do beyond messages, is given to it.
 */

import { onAbort } from "../../async/abort.ts";
import { within } from "../../async/within.ts";
import { KernelError } from "../errors.ts";
import type {
  ExecuteOptions,
  KernelExit,
  KernelMessage,
  KernelQuestion,
  KernelState,
  MessageContent,
} from "../kernel.ts";
import { JupyterClient } from "./client.ts";
import type { Exchange } from "./exchange.ts";
import { interruptFirmly, type OutsideMeans } from "./interrupt.ts";

/** How long to wait for an answer before asking again, where one may have been lost. */
const ASK_AGAIN_MS = 250;
/** How long code may take to begin in a kernel that others use, too, before it counts as behind theirs. */
const TURN_MS = 2_000;
/** How long a kernel may take to come to rest after an interrupt that worked. */
const QUIET_MS = 3_000;

export interface ConversationOptions extends OutsideMeans {
  readonly send: (message: KernelMessage) => void;
}

export class Conversation {
  readonly client: JupyterClient;
  readonly #means: OutsideMeans;
  #state: KernelState = "provisioning";
  #running: Exchange | undefined;
  #interrupting: Promise<void> | undefined;

  constructor(options: ConversationOptions) {
    this.client = new JupyterClient(options.send);
    this.#means = options;
  }

  get state(): KernelState {
    return this.#state;
  }

  get isOver(): boolean {
    return this.#state === "dead" || this.#state === "shutdown";
  }

  /** What runs now. */
  get running(): Exchange | undefined {
    return this.#running;
  }

  async *execute(code: string, options: ExecuteOptions = {}): AsyncGenerator<KernelMessage, void, void> {
    options.signal?.throwIfAborted();
    const exchange = this.client.execute(code, {
      silent: options.silent ?? false,
      userExpressions: options.userExpressions ?? {},
    });
    this.#running = exchange;
    if (this.#state === "ready") this.#state = "executing";
    const stopListening = onAbort(options.signal, () => void this.interrupt());
    try {
      yield* exchange;
    } finally {
      stopListening();
      if (!exchange.hasEnded) await this.interrupt();
      await this.#interrupting;
      this.#running = undefined;
      if (this.#state === "executing" || this.#state === "interrupted") this.#state = "ready";
    }
  }

  async ask(question: KernelQuestion, content: MessageContent): Promise<MessageContent> {
    const reply = await this.client.request("shell", question, content, "reply").reply();
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

  /** ipykernel 7 announces a live subscription, older ones do not; asking until iopub takes part works for both. */
  async subscribed(signal: AbortSignal): Promise<void> {
    const asked: Promise<void>[] = [];
    do {
      signal.throwIfAborted();
      asked.push(this.#askOnShell());
    } while (!(await within(Promise.race(asked), ASK_AGAIN_MS)));
  }

  becomeReady(): void {
    if (this.#state === "provisioning") this.#state = "ready";
  }

  /** Somebody asked for the end; it has not come yet. */
  beginShutdown(): void {
    this.#state = "shutdown";
  }

  /** The kernel is gone: tells everybody who waits. */
  end({ reason, expected }: KernelExit): void {
    this.#state = expected ? "shutdown" : "dead";
    this.client.fail(
      expected
        ? new KernelError({ kind: "closed", issue: "the kernel was shut down", code: "KERNEL_CLOSED" })
        : new KernelError({ kind: "died", issue: `the kernel died: ${reason}`, code: "KERNEL_DIED" }),
    );
  }

  async #interrupt(running: Exchange): Promise<void> {
    if (this.#state === "executing") this.#state = "interrupted";
    // Between two requests ipykernel ignores the signal.
    const hasBegun = await within(running.begun, this.#means.withdraw ? TURN_MS : ASK_AGAIN_MS);
    if (!hasBegun && this.#means.withdraw) {
      this.#means.withdraw();
      return;
    }
    // ipykernel's event loop sleeps through the signal while a cell awaits something; any message wakes it.
    const nudge = () => void this.#askOnShell().then(() => this.client.concludeInterrupted(running));
    const acknowledged: Promise<unknown>[] = [];
    const step = await interruptFirmly({
      requestInterrupt: () => {
        acknowledged.push(this.client.request("control", "interrupt_request", {}).ended.then(nudge));
      },
      interruptOutside: () => this.#means.interruptOutside(),
      patienceMs: this.#means.patienceMs,
      kill: () => this.#means.kill(),
      ended: running.replied,
    });
    if (step === "killed") return;
    await untilQuiet(running);
    // The signal may still be on its way when the code ends by itself: let it hit something else than the next cell.
    await within(Promise.all(acknowledged), QUIET_MS);
    const isWell = running.hasEnded && (this.#means.withdraw !== undefined || (await this.#answersOnShell()));
    if (!isWell) this.#means.kill();
  }

  /** Asks more than once: a request that a late interrupt hits has no reply. */
  async #answersOnShell(): Promise<boolean> {
    const asked: Promise<void>[] = [];
    for (let attempt = 0; attempt < QUIET_MS / ASK_AGAIN_MS; attempt += 1) {
      asked.push(this.#askOnShell());
      if (await within(Promise.race(asked), ASK_AGAIN_MS)) return true;
    }
    return false;
  }

  #askOnShell(): Promise<void> {
    return this.client.request("shell", "kernel_info_request", {}).ended;
  }
}

/** What the code printed before it ended may take a while: it is waited for as long as it comes. */
async function untilQuiet(running: Exchange): Promise<void> {
  for (let seen = -1; seen !== running.received; ) {
    seen = running.received;
    if (await within(running.ended, QUIET_MS)) return;
  }
}
