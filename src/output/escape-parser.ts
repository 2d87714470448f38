/**
 * Parses text as a terminal does: runs of printable text, the two controls that move within a line, and CSI
 * sequences. Everything else that a terminal would act on (titles, hyperlinks, device strings, character sets, resets,
 * bells …) is swallowed. Incremental: a sequence may be cut anywhere, and at most a short one is remembered.
 */

export interface TerminalEvents {
  /** Printable text, newlines and tabs. */
  run(text: string): void;
  control(control: "\r" | "\b"): void;
  /** ESC [ `parameters` `final`. */
  csi(parameters: string, final: string): void;
}

/**
 * C0 but tab and newline, DEL, and C1 (which some terminals obey even as UTF-8). Spelt as strings because control
 * characters in a pattern are a mistake everywhere but here.
 */
const CONTROL = new RegExp(`[${["\\u0000-\\u0008", "\\u000b-\\u001f", "\\u007f-\\u009f"].join("")}]`, "g");

type State = "ground" | "escape" | "intermediate" | "csi" | "string" | "string-escape";

/** Longer parameters than any real sequence has are dropped with their sequence. */
const LONGEST_PARAMETERS = 256;

export class EscapeParser {
  readonly #events: TerminalEvents;
  #state: State = "ground";
  #parameters = "";

  constructor(events: TerminalEvents) {
    this.#events = events;
  }

  push(text: string): void {
    let at = 0;
    while (at < text.length)
      at = this.#state === "ground" ? this.#ground(text, at) : this.#sequence(text, at);
  }

  /** Not inside a sequence. */
  get isIdle(): boolean {
    return this.#state === "ground";
  }

  /** Forgets a sequence that was cut: the next text does not continue it. */
  reset(): void {
    this.#state = "ground";
  }

  #ground(text: string, from: number): number {
    CONTROL.lastIndex = from;
    const end = CONTROL.test(text) ? CONTROL.lastIndex - 1 : text.length;
    if (end > from) this.#events.run(from === 0 && end === text.length ? text : text.slice(from, end));
    const code = text.charCodeAt(end);
    if (code === 0x0d) this.#events.control("\r");
    else if (code === 0x08) this.#events.control("\b");
    if (code !== 0x1b) return end + 1;
    // Nearly all sequences are short and whole.
    const final = wholeCsi(text, end);
    if (final === undefined) {
      this.#state = "escape";
      return end + 1;
    }
    this.#events.csi(text.slice(end + 2, final), text.charAt(final));
    return final + 1;
  }

  /** One character of a sequence. Returns the next position: the same one when the character ends the sequence without being part of it. */
  #sequence(text: string, at: number): number {
    const code = text.charCodeAt(at);
    if (code === 0x1b) {
      this.#state = this.#state === "string" ? "string-escape" : "escape";
      return at + 1;
    }
    if (this.#state === "string") return this.#string(text, at);
    if (this.#state === "string-escape" && code === 0x5c) return this.#end(at + 1);
    // A control, or a character that no sequence has: the sequence was never finished.
    if (code < 0x20 || code > 0x7e) return this.#end(at);
    if (this.#state === "csi") return this.#csi(text, at, code);
    if (this.#state === "intermediate") return code < 0x30 ? at + 1 : this.#end(at + 1);
    return this.#escape(code, at);
  }

  #escape(code: number, at: number): number {
    const character = String.fromCharCode(code);
    if (character === "[") {
      this.#state = "csi";
      this.#parameters = "";
    } else if ("]PX^_".includes(character)) this.#state = "string";
    else if (code < 0x30) this.#state = "intermediate";
    else this.#state = "ground";
    return at + 1;
  }

  #csi(text: string, at: number, code: number): number {
    if (code < 0x40) {
      if (this.#parameters.length < LONGEST_PARAMETERS) this.#parameters += text[at];
      return at + 1;
    }
    this.#state = "ground";
    if (this.#parameters.length < LONGEST_PARAMETERS)
      this.#events.csi(this.#parameters, String.fromCharCode(code));
    return at + 1;
  }

  /**
   * An operating-system command or device string, up to BEL, CAN, SUB or ESC. A terminal would wait for its end for ever;
   * here a line's end is one too, or a stray ESC ] would hide all that follows from the model.
   */
  #string(text: string, from: number): number {
    for (let at = from; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x1b) return at;
      if (code === 0x07 || code === 0x18 || code === 0x1a) return this.#end(at + 1);
      if (code === 0x0a) return this.#end(at);
    }
    return text.length;
  }

  #end(at: number): number {
    this.#state = "ground";
    return at;
  }
}

/** Where the sequence that begins at `start` ends, if it is a CSI sequence and all there. */
function wholeCsi(text: string, start: number): number | undefined {
  if (text.charCodeAt(start + 1) !== 0x5b) return undefined;
  let at = start + 2;
  const last = at + LONGEST_PARAMETERS;
  while (at < last) {
    const code = text.charCodeAt(at);
    if (code >= 0x40 && code <= 0x7e) return at;
    if (!(code >= 0x20 && code < 0x40)) return undefined;
    at++;
  }
  return undefined;
}
