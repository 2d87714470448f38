/**
 * Abandoned requests that are still in the kernel's queue after code of other clients. Jupyter has no way to withdraw one: it is
 * interrupted when it starts, and not before, since that would end the code of other clients.
 */

import type { KernelMessage } from "../message.ts";

export class Withdrawn {
  readonly #requestInterrupt: () => Promise<void>;
  readonly #ids = new Set<string>();
  #interrupted: Promise<void> = Promise.resolve();

  /** @param requestInterrupt settles when the kernel has received it. */
  constructor(requestInterrupt: () => Promise<void>) {
    this.#requestInterrupt = requestInterrupt;
  }

  /** Settles when no interrupt is on its way: it must not hit what is sent next. */
  get quiet(): Promise<void> {
    return this.#interrupted;
  }

  add(id: string): void {
    this.#ids.add(id);
  }

  /** To be called with every message that belongs to nothing that is waited for. */
  notice({ header, parentHeader }: KernelMessage): void {
    const id = parentHeader.msg_id;
    if (id === undefined || !this.#ids.has(id)) return;
    if (header.msg_type === "execute_input") this.#interrupted = this.#requestInterrupt();
    if (header.msg_type === "execute_reply") this.#ids.delete(id);
  }
}
