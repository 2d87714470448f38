/** Which code of other clients runs in the kernel, from what it publishes: a console that is attached to it, a notebook. */

import type { KernelMessage } from "../message.ts";

export class OtherCode {
  readonly #running = new Set<string>();

  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  /** The requests. */
  get ids(): readonly string[] {
    return [...this.#running];
  }

  /** They have ended, even if a broken connection has kept that from us. */
  forget(ids: readonly string[]): void {
    for (const id of ids) this.#running.delete(id);
  }

  /** To be called with every message that answers a request of another client. */
  notice({ channel, header, parentHeader, content }: KernelMessage): void {
    const { msg_id: id, msg_type: request } = parentHeader;
    if (channel !== "iopub" || header.msg_type !== "status" || request !== "execute_request") return;
    if (id === undefined) return;
    if (content["execution_state"] === "idle") this.#running.delete(id);
    else this.#running.add(id);
  }
}
