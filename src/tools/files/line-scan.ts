/**
 * Lines out of bytes, piece by piece: skips to the wanted line, keeps the wanted ones up to their limits, then only counts.
 * Memory is bounded by what is kept, however long the file or a line of it is. Knows no files.
 */

import { count } from "../../format/numbers.ts";
import { isHighSurrogate } from "../../output/utf8.ts";

/** Of all kept lines together, as they are shown. */
export const MAX_CHARS = 30_000;
const MAX_LINE_CHARS = 2_000;

export interface LineWindow {
  /** The first wanted line, from 1. */
  readonly first: number;
  readonly maxLines: number;
  readonly encoding: "utf8" | "latin1";
  /** Terminal output has colours; source text must stay what it is. */
  readonly stripEscapes: boolean;
}

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
/** A UTF-16 unit is at least a quarter of what its character takes in UTF-8 (and a Latin-1 character is one byte). */
const BYTES_PER_CHAR = 4;

export class LineScan {
  readonly rendered: string[] = [];
  /** Lines that ended so far. */
  lines = 0;
  /** Lines that ended in CR LF, and in LF alone, of those that were kept. The last of a text may end in neither. */
  crlfLines = 0;
  lfLines = 0;
  clippedLines = 0;
  /** The window is full, or the text went past it. */
  full = false;
  readonly #window: LineWindow;
  #chars = 0;
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #lineBytes = 0;
  #lastByte: number | undefined;

  constructor(window: LineWindow) {
    this.#window = window;
    this.full = window.maxLines === 0;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      const end = chunk.indexOf(NEWLINE, at);
      const stop = end === -1 ? chunk.length : end;
      if (!this.full && this.lines + 1 >= this.#window.first) this.#keep(chunk.subarray(at, stop));
      this.#lineBytes += stop - at;
      if (stop > at) this.#lastByte = chunk[stop - 1];
      if (end === -1) return;
      this.#endLine({ hasNewline: true });
      at = end + 1;
    }
  }

  /** Ends the text: what follows the last newline is a line as well. */
  end(): void {
    if (this.#lineBytes > 0) this.#endLine({ hasNewline: false });
  }

  /** The number of the line after the last one that was kept. */
  get next(): number {
    return this.#window.first + this.rendered.length;
  }

  #keep(bytes: Buffer): void {
    const room = MAX_LINE_CHARS * BYTES_PER_CHAR - this.#keptBytes;
    if (room <= 0) return;
    // A copy: the chunk's memory is used again.
    const piece = Buffer.from(bytes.subarray(0, room));
    this.#kept.push(piece);
    this.#keptBytes += piece.length;
  }

  #endLine(ending: { readonly hasNewline: boolean }): void {
    this.lines++;
    if (!this.full && this.lines >= this.#window.first) this.#take(ending);
    this.#kept = [];
    this.#keptBytes = 0;
    this.#lineBytes = 0;
    this.#lastByte = undefined;
  }

  #take({ hasNewline }: { readonly hasNewline: boolean }): void {
    const { maxLines, encoding, stripEscapes } = this.#window;
    const isCrlf = this.#lastByte === CARRIAGE_RETURN;
    const lineBytes = this.#lineBytes - (isCrlf ? 1 : 0);
    const whole = Buffer.concat(this.#kept).subarray(0, lineBytes).toString(encoding);
    const isCut = whole.length > MAX_LINE_CHARS;
    const text = isCut ? clip(whole) : whole;
    const cutBytes = isCut ? Math.max(1, lineBytes - Buffer.byteLength(text, encoding)) : 0;
    const clean = (stripEscapes ? Bun.stripANSI(text) : text).replaceAll("\0", "␀");
    const cut = isCut ? `… [${count(cutBytes, "more byte")} in this line]` : "";
    const line = `${this.lines}|${clean}${cut}`;
    // One line is shown even where it is too long for the limit.
    if (this.rendered.length > 0 && this.#chars + line.length + 1 > MAX_CHARS) {
      this.full = true;
      return;
    }
    this.rendered.push(line);
    this.#chars += line.length + 1;
    if (isCrlf) this.crlfLines++;
    else if (hasNewline) this.lfLines++;
    if (isCut) this.clippedLines++;
    if (this.rendered.length >= maxLines) this.full = true;
  }
}

function clip(text: string): string {
  const splitsPair = isHighSurrogate(text.charCodeAt(MAX_LINE_CHARS - 1));
  return text.slice(0, splitsPair ? MAX_LINE_CHARS - 1 : MAX_LINE_CHARS);
}
