/**
 * A kernel over Jupyter messages: runs cells, interrupts them, knows its state. Subclasses bring what carries the messages, and what
 * can be done to the kernel beyond sending it messages.
 */

import { onAbort, unlessAborted } from "../../async/abort.ts";
import { within } from "../../async/within.ts";
import { describeEnd, KernelError, kernelClosedError, kernelStartError } from "../errors.ts";
import type {
  ExecuteOptions,
  Kernel,
  KernelConnectionInfo,
  KernelExit,
  KernelFacts,
  KernelMessage,
  KernelQuestion,
  KernelState,
  MessageContent,
} from "../kernel.ts";
import { newMessage } from "../message.ts";
import { type BootOptions, bootKernel } from "./boot.ts";
import { JupyterClient } from "./client.ts";
import type { Exchange } from "./exchange.ts";
import { loadModules } from "./load-modules.ts";

/** How long to wait for an answer before asking again, where one may have been lost. */
const ASK_AGAIN_MS = 250;
/** How long code may take to start in a kernel that other clients use before it counts as queued after theirs. */
const TURN_MS = 2_000;
/** How long a requested interrupt may take to show its effect before it is forced. */
const REQUEST_MS = 2_000;
/** How long a kernel may take to come to rest after an interrupt that worked. */
const QUIET_MS = 3_000;

export abstract class JupyterKernel implements Kernel {
  abstract readonly id: string;
  abstract readonly connectionInfo: KernelConnectionInfo | undefined;
  protected readonly client = new JupyterClient();
  readonly #exit = Promise.withResolvers<KernelExit>();
  readonly exited = this.#exit.promise;
  readonly answerAbout: Kernel["answerAbout"] = (about, answers) =>
    void this.client.answersAbout.set(about, answers);
  #facts: KernelFacts | undefined;
  #state: KernelState = "provisioning";
  #isGone = false;
  #running: Exchange | undefined;
  #interrupting: Promise<void> | undefined;
  #free: Promise<void> | undefined;

  /** Interrupts without the kernel's help: a signal, or the gateway's own way to send one. */
  protected abstract forceInterrupt(): void;
  /** How long that may take to show its effect before the kernel is killed. */
  protected abstract readonly patienceMs: number;
  /** Ends the kernel, whatever it is doing; or, where it is not ours to end, abandons the exchange that runs. */
  protected abstract kill(): void;
  /** Whether code of other clients may run that was started before we listened. */
  protected readonly isBorrowed: boolean = false;

  abstract shutdown(how?: { readonly graceMs?: number }): Promise<void>;
  abstract isResponding(): Promise<boolean>;

  get facts(): KernelFacts {
    if (!this.#facts) throw new Error("a kernel has no facts before it is ready");
    return this.#facts;
  }

  get state(): KernelState {
    return this.#state;
  }

  get isConnected(): boolean {
    return true;
  }

  /** Shut down, or about to be, or dead. */
  protected get isOver(): boolean {
    return this.#state === "dead" || this.#state === "shutdown";
  }

  protected get isGone(): boolean {
    return this.#isGone;
  }

  protected get running(): Exchange | undefined {
    return this.#running;
  }

  /**
   * Waits for code of other clients before it sends ours: a request that is queued in the kernel cannot be withdrawn. One that the
   * kernel still drops, because theirs failed, has not run, and is sent again.
   */
  async *execute(code: string, options: ExecuteOptions = {}): AsyncGenerator<KernelMessage, void, void> {
    options.signal?.throwIfAborted();
    for (let isDropped = true; isDropped; ) {
      // Without a wait where no other client can be running code: the next request is handled after it.
      if (!this.#isFree && !(await this.#hasTurn(options.signal))) {
        const content = { status: "error", ...OCCUPIED, traceback: [] };
        yield newMessage({ channel: "shell", type: "execute_reply", session: this.client.session, content });
        return;
      }
      isDropped = false;
      for await (const message of this.#send(code, options)) {
        if (message.header.msg_type === "execute_reply" && message.content["status"] === "aborted")
          isDropped = true;
        else yield message;
      }
    }
  }

  async *#send(code: string, options: ExecuteOptions): AsyncGenerator<KernelMessage, void, void> {
    const exchange = this.client.execute(code, options);
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

  /** One request for all callers: the kernel queues every one that it cannot answer yet. */
  untilFree(): Promise<void> {
    if (this.#isFree) return Promise.resolve();
    this.#free ??= this.askWhenFree().finally(() => {
      this.#free = undefined;
    });
    return this.#free;
  }

  async interrupt(): Promise<void> {
    const running = this.#running;
    if (!running || running.hasEnded) return;
    this.#interrupting ??= this.#interrupt(running).finally(() => {
      this.#interrupting = undefined;
    });
    await this.#interrupting;
  }

  takeLateOutput(): string {
    return this.client.takeLateOutput();
  }

  takeLateDisplays(): readonly KernelMessage[] {
    return this.client.takeLateDisplays();
  }

  /** As `connect`, unless the kernel ends or the signal aborts first: then its signal aborts, too. */
  protected async connectUnlessEnded(
    connect: (signal: AbortSignal) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const abandoned = new AbortController();
    const ended = this.exited.then((exit) => {
      throw kernelStartError(exit);
    });
    const connected = connect(AbortSignal.any([signal, abandoned.signal]));
    try {
      await unlessAborted(Promise.race([connected, ended]), signal);
    } catch (error) {
      abandoned.abort();
      throw error;
    }
  }

  /** Runs the boot code and subscribes to the output: the kernel is ready then. */
  protected async boot(options: BootOptions, signal: AbortSignal): Promise<void> {
    const { client } = this;
    const [facts] = await Promise.all([bootKernel(client, options), this.#untilSubscribed(signal)]);
    const failed = await loadModules(client, options.modules, options.moduleLimitMs);
    this.becomeReady({ ...facts, failedModules: [...facts.failedModules, ...failed] });
  }

  /** Whether no other client can be running code. */
  get #isFree(): boolean {
    return !this.isBorrowed && !this.client.hasOtherCode;
  }

  protected async askWhenFree(): Promise<void> {
    await this.client.otherCodeEnded();
  }

  /** False when the signal aborted first. */
  async #hasTurn(signal: AbortSignal | undefined): Promise<boolean> {
    const isFree = this.untilFree();
    if (!signal) return await isFree.then(() => true);
    try {
      await unlessAborted(isFree, signal);
      return true;
    } catch (error) {
      if (signal.aborted && error === signal.reason) return false;
      throw error;
    }
  }

  /** May be called again with newer facts. */
  protected becomeReady(facts: KernelFacts): void {
    this.#facts = facts;
    if (this.#state === "provisioning") this.#state = "ready";
  }

  /** The end was asked for, and has not happened yet. */
  protected beginShutdown(): void {
    this.#state = "shutdown";
  }

  /** Fails what still waits for the kernel; only the first call counts. @param cleared what `exited` waits for. */
  protected end(exit: KernelExit, cleared?: Promise<void>): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#state = exit.expected ? "shutdown" : "dead";
    this.client.fail(exit.expected ? kernelClosedError("the kernel was shut down") : diedError(exit));
    if (cleared) void cleared.then(() => this.#exit.resolve(exit));
    else this.#exit.resolve(exit);
  }

  /** ipykernel 7 announces a live subscription, older ones do not; asking until iopub takes part works for both. */
  async #untilSubscribed(signal: AbortSignal): Promise<void> {
    const asked: Promise<void>[] = [];
    do {
      signal.throwIfAborted();
      asked.push(this.#askOnShell());
    } while (!(await within(Promise.race(asked), ASK_AGAIN_MS)));
  }

  /**
   * Ends the running code, more firmly step by step. Code that holds the GIL reacts to neither of the first two, code that swallows
   * KeyboardInterrupt may react to the second; nothing survives the third, which costs the kernel's state.
   */
  async #interrupt(running: Exchange): Promise<void> {
    if (this.#state === "executing") this.#state = "interrupted";
    // Between two requests ipykernel ignores the signal.
    const hasBegun = await within(running.begun, this.isBorrowed ? TURN_MS : ASK_AGAIN_MS);
    // An interrupt would end the code of other clients instead.
    if (!hasBegun && (this.isBorrowed || this.client.hasOtherCode))
      return this.client.withdraw(running, BEHIND);
    // ipykernel's event loop sleeps through the signal while a cell awaits something; any message wakes it.
    const nudge = () => void this.#askOnShell().then(() => this.client.concludeInterrupted(running));
    const acknowledged = this.client.request("control", "interrupt_request", {}).ended.then(nudge);
    if (!(await within(running.replied, REQUEST_MS))) {
      this.forceInterrupt();
      if (!(await within(running.replied, this.patienceMs))) {
        this.kill();
        await running.replied;
        return;
      }
    }
    await untilQuiet(running);
    // The signal may still be on its way when the code ends by itself: let it hit something other than the next cell.
    await within(acknowledged, QUIET_MS);
    const isWell = running.hasEnded && (this.isBorrowed || (await this.#answersOnShell()));
    if (!isWell) this.kill();
  }

  /** Asks more than once: a request that a late interrupt hits has no reply. Code of other clients may be next. */
  async #answersOnShell(): Promise<boolean> {
    const asked: Promise<void>[] = [];
    for (let attempt = 0; attempt < QUIET_MS / ASK_AGAIN_MS; attempt += 1) {
      asked.push(this.#askOnShell());
      if ((await within(Promise.race(asked), ASK_AGAIN_MS)) || this.client.hasOtherCode) return true;
    }
    return false;
  }

  #askOnShell(): Promise<void> {
    return this.client.request("shell", "kernel_info_request", {}).ended;
  }
}

const BEHIND = {
  ename: "NotBegun",
  evalue:
    "the cell is queued in the kernel after other code, which was not interrupted. It will be interrupted as soon as it starts",
};
const OCCUPIED = {
  ename: "KeyboardInterrupt",
  evalue: "the cell was not run: the kernel was busy with other code, which was not interrupted",
};

/** What the code printed before it ended may take a while: it is waited for as long as more of it arrives. */
async function untilQuiet(running: Exchange): Promise<void> {
  for (let seen = -1; seen !== running.received; ) {
    seen = running.received;
    if (await within(running.ended, QUIET_MS)) return;
  }
}

function diedError(exit: KernelExit): KernelError {
  return new KernelError({ kind: "died", issue: `the kernel ${describeEnd(exit)}`, code: "KERNEL_DIED" });
}
