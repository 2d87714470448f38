/**
 * What a program writes, cut into what a terminal shows at once: a frame that is synchronized (mode 2026) is held until it is whole,
 * however many pieces the pty hands it over in. So nobody sees half a frame, as nobody does in a terminal that knows the mode.
 */

const BEGIN = "\x1b[?2026h";
const END = "\x1b[?2026l";

export class Frames {
  #held = "";

  /** @returns what can be shown now, part by part. */
  take(text: string): string[] {
    this.#held += text;
    const parts: string[] = [];
    for (let length = wholeLength(this.#held); length > 0; length = wholeLength(this.#held)) {
      parts.push(this.#held.slice(0, length));
      this.#held = this.#held.slice(length);
    }
    return parts;
  }

  /** What is left when there will be no more. */
  rest(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }
}

/** The length of the first part that is whole; 0 when more has to come. */
function wholeLength(text: string): number {
  if (text.startsWith(BEGIN)) return text.includes(END) ? text.indexOf(END) + END.length : 0;
  const begin = text.indexOf(BEGIN);
  return begin === -1 ? text.length - lengthOfBeginning(text) : begin;
}

/** A frame may begin in the last characters that have arrived. */
function lengthOfBeginning(text: string): number {
  for (let length = Math.min(BEGIN.length - 1, text.length); length > 0; length -= 1)
    if (BEGIN.startsWith(text.slice(-length))) return length;
  return 0;
}
