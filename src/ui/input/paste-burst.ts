/**
 * A paste in a terminal that does not mark it (no bracketed paste): its lines arrive as keys, and each line end would send a prompt. Two lines
 * within one read begin a paste, and what follows at once belongs to it. Keys that arrive one by one never wait. A slow connection, or a machine
 * that is busy, delivers what was typed in a second at once: so few characters are keys, whatever is among them.
 */

import type { KeyEvent, KeyFlags } from "../editor/key-name.ts";

/** Longer than the pauses between the reads of one paste, and shorter than those between two keys. */
const QUIET_MS = 20;
/** More than anybody types in a second. */
const LEAST_CHARS = 16;
const PLAIN = /^(?:[\t\r\n]|\P{Cc})+$/u;
const TWO_LINES = /[^\r\n]\r[\r\n]*[^\r\n]/;
const LAST_LINE_ENDS = /[\r\n]+$/;

export class PasteBurst {
  readonly #paste: (text: string) => void;
  #text = "";
  #quiet: ReturnType<typeof setTimeout> | undefined;

  constructor(paste: (text: string) => void) {
    this.#paste = paste;
  }

  /** @returns whether what was read is part of a paste. */
  take({ input, key }: KeyEvent): boolean {
    const isBurst = this.#text !== "" || (input.length >= LEAST_CHARS && TWO_LINES.test(input));
    if (!isBurst || isKey(key) || !PLAIN.test(input)) return false;
    this.#text += input;
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.flush(), QUIET_MS);
    return true;
  }

  /** To be called before any other key. The last line end is left out, like the Enter that sends. */
  flush(): void {
    clearTimeout(this.#quiet);
    const text = this.#text.replace(LAST_LINE_ENDS, "");
    this.#text = "";
    if (text !== "") this.#paste(text);
  }
}

/** Something else than text and Enter. */
function isKey({ return: _enter, shift: _shift, eventType: _type, ...others }: KeyFlags): boolean {
  return Object.values(others).includes(true);
}
