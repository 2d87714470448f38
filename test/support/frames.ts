/**
 * Cuts the output of a program into what a terminal shows at once: a synchronized frame (mode 2026) is held back until it is complete,
 * however many pieces it arrives in. So tests never see half a frame, as in a terminal that supports the mode.
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

  /** What is held back at the end of the output. */
  rest(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }
}

/** The length of the first complete part; 0 when more has to arrive first. */
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
