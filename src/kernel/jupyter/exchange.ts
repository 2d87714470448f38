/**
 * One request and everything that answers it.
 *
 * A kernel answers on two sockets that know nothing of each other: the reply on shell, the output and the closing `status: idle`
 * on iopub. Either may be last, so an execution has ended when both have arrived.
 */

import type { KernelMessage } from "../message.ts";

export type ExchangeEnd = "reply" | "idle and reply";

export class Exchange implements AsyncIterable<KernelMessage> {
  readonly id: string;
  readonly #end: ExchangeEnd;
  #pending: KernelMessage[] = [];
  #wake: (() => void) | undefined;
  #idle = false;
  #reply: KernelMessage | undefined;
  #failure: Error | undefined;
  #listening = true;
  readonly #begun = Promise.withResolvers<void>();
  readonly #replied = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  /** Messages so far: distinguishes a slow exchange from a stuck one. */
  received = 0;
  /** Settles when the kernel is surely working on it: with its first message other than `status: busy`, or its end. */
  readonly begun = this.#begun.promise;
  /** Settles with the reply: the code has ended, though its output may still be on its way. Or with the end. */
  readonly replied = this.#replied.promise;
  /** Settles when the exchange has ended, well or badly. Never rejects: the iteration carries the error. */
  readonly ended = this.#ended.promise;

  constructor(id: string, end: ExchangeEnd) {
    this.id = id;
    this.#end = end;
  }

  get hasEnded(): boolean {
    return this.#failure !== undefined || this.#isComplete;
  }

  get #isComplete(): boolean {
    return this.#reply !== undefined && (this.#idle || this.#end === "reply");
  }

  deliver(message: KernelMessage): void {
    if (this.hasEnded) return;
    this.received += 1;
    const { channel, header, content } = message;
    if (channel === "iopub" && header.msg_type === "status" && content["execution_state"] === "idle")
      this.#idle = true;
    if (channel !== "iopub" && header.msg_type.endsWith("_reply")) {
      this.#reply = message;
      this.#replied.resolve();
    }
    if (header.msg_type !== "status") this.#begun.resolve();
    if (this.#listening) this.#pending.push(message);
    this.#wakeUp();
  }

  /** Output that arrives meanwhile and belongs to no open request. It says nothing about this one's progress. */
  adopt(message: KernelMessage): void {
    this.received += 1;
    if (this.#listening) this.#pending.push(message);
    this.#wakeUp();
  }

  fail(error: Error): void {
    if (this.hasEnded) return;
    this.#failure = error;
    this.#wakeUp();
  }

  /** Whether iopub has reported the end, and only the reply is missing. */
  get lacksReply(): boolean {
    return this.#idle && !this.hasEnded;
  }

  get hasReply(): boolean {
    return this.#reply !== undefined;
  }

  /** The reply, once the exchange has ended. */
  async reply(): Promise<KernelMessage> {
    this.#listening = false;
    this.#pending = [];
    await this.ended;
    if (this.#failure) throw this.#failure;
    if (!this.#reply) throw new Error("an exchange ended without a reply");
    return this.#reply;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<KernelMessage, void, void> {
    try {
      while (true) {
        // Taken as a whole: a burst of messages must not cost a shift of the array for each.
        const batch = this.#pending;
        this.#pending = [];
        yield* batch;
        if (this.#pending.length > 0) continue;
        if (this.#failure) throw this.#failure;
        if (this.#isComplete) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      // A consumer that leaves early must not make the rest of the output pile up.
      this.#listening = false;
      this.#pending = [];
    }
  }

  #wakeUp(): void {
    if (this.hasEnded) {
      this.#begun.resolve();
      this.#replied.resolve();
      this.#ended.resolve();
    }
    this.#wake?.();
    this.#wake = undefined;
  }
}
