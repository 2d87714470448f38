/**
 * What a kernel prints while no code of ours runs: from threads and callbacks that a cell left behind. It belongs to no execution
 * any more, and is kept, up to a limit, for the next cell.
 */

import type { KernelMessage } from "../message.ts";

const MAX_CHARS = 16_384;

export class LateOutput {
  #text = "";
  #cut = false;

  add(message: KernelMessage): void {
    const { header, content } = message;
    const text = header.msg_type === "stream" ? content["text"] : undefined;
    if (typeof text !== "string") return;
    this.#text += text;
    if (this.#text.length > MAX_CHARS) {
      // Never half a surrogate pair at the cut.
      this.#text = this.#text.slice(-MAX_CHARS).replace(/^[\udc00-\udfff]/, "");
      this.#cut = true;
    }
  }

  take(): string {
    const text = this.#cut ? `…${this.#text}` : this.#text;
    this.#text = "";
    this.#cut = false;
    return text;
  }
}
