/**
 * What a kernel prints and shows while no code of ours runs: from threads and callbacks that a cell left behind. It belongs to no
 * execution any more, and is kept, up to a limit, for the next cell.
 */

import { asRecord } from "../../protocol/record.ts";
import type { KernelMessage } from "../message.ts";

const MAX_CHARS = 16_384;
/** The newest are kept. A picture is at most a few hundred kilobytes. */
const MAX_DISPLAYS = 20;
const MAX_DISPLAY_CHARS = 16_000_000;
const DISPLAYS = ["display_data", "update_display_data"];

export class LateOutput {
  #text = "";
  #cut = false;
  #displays: KernelMessage[] = [];

  add(message: KernelMessage): void {
    const { header, content } = message;
    if (DISPLAYS.includes(header.msg_type)) this.#addDisplay(message);
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

  takeDisplays(): readonly KernelMessage[] {
    const displays = this.#displays;
    this.#displays = [];
    return displays;
  }

  /** One that changes again and again is kept as it is now. */
  #addDisplay(message: KernelMessage): void {
    const id = displayIdOf(message);
    if (id !== undefined) this.#displays = this.#displays.filter((each) => displayIdOf(each) !== id);
    this.#displays.push(message);
    let chars = 0;
    const kept = this.#displays.toReversed().filter((each, index) => {
      chars += sizeOf(each);
      return index === 0 || (index < MAX_DISPLAYS && chars <= MAX_DISPLAY_CHARS);
    });
    this.#displays = kept.reverse();
  }
}

function displayIdOf({ content }: KernelMessage): unknown {
  return asRecord(content["transient"])["display_id"];
}

function sizeOf({ content }: KernelMessage): number {
  const parts = Object.values(asRecord(content["data"]));
  return parts.reduce<number>((sum, part) => sum + (typeof part === "string" ? part.length : 1_000), 0);
}
