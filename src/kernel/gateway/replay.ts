/**
 * Everything that a kernel published, each message once and in order, although connections break. A gateway replays what arrived while
 * no client was connected; the kernel itself recalls what the gateway had written to a connection that was already dead. The two
 * overlap, and are merged here.
 */

import type { KernelMessage } from "../message.ts";

/** How many messages are held back at most while the kernel is asked what was missed. */
const MAX_HELD = 100_000;

export class Replay {
  readonly #deliver: (message: KernelMessage) => void;
  #held: KernelMessage[] | undefined;
  /** Ids recalled by the kernel: the gateway's copies of these messages, which may follow, are dropped. */
  readonly #recalled = new Set<string>();
  #lastId: string | undefined;

  constructor(deliver: (message: KernelMessage) => void) {
    this.#deliver = deliver;
  }

  /** The newest output that was delivered. */
  get lastId(): string | undefined {
    return this.#lastId;
  }

  accept(message: KernelMessage): void {
    if (this.#recalled.delete(message.header.msg_id)) return;
    if (this.#held && message.channel === "iopub") {
      this.#held.push(message);
      if (this.#held.length > MAX_HELD) this.release([]);
    } else this.#pass(message);
  }

  /** From now on output waits for `release`: what was missed goes before it. */
  hold(): void {
    this.#held ??= [];
  }

  /** @param recalled what the kernel remembers after the last message that was delivered, oldest first. */
  release(recalled: readonly KernelMessage[]): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    const ids = new Set(recalled.map(({ header }) => header.msg_id));
    const others = held.filter(({ header }) => !ids.has(header.msg_id));
    for (const { header } of held) ids.delete(header.msg_id);
    if (this.#recalled.size > MAX_HELD) this.#recalled.clear();
    for (const id of ids) this.#recalled.add(id);
    // The kernel may have forgotten the oldest, which the gateway then still has.
    const first = numberOf(recalled[0]);
    const isOlder = (message: KernelMessage) => first !== undefined && (numberOf(message) ?? first) < first;
    for (const message of others.filter(isOlder)) this.#pass(message);
    for (const message of recalled) this.#pass(message);
    for (const message of others) if (!isOlder(message)) this.#pass(message);
  }

  #pass(message: KernelMessage): void {
    if (message.channel === "iopub") this.#lastId = message.header.msg_id;
    this.#deliver(message);
  }
}

/** Kernels number their messages at the end of the id; undefined for others. */
function numberOf(message: KernelMessage | undefined): number | undefined {
  const number = /_(\d+)$/.exec(message?.header.msg_id ?? "")?.[1];
  return number === undefined ? undefined : Number(number);
}
