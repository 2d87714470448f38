/**
 * Pictures on their way past Ink. A layout measures, cuts and rewrites what goes through it, and would do so with the bytes of a
 * picture; so the text has a mark of one column instead of each, and the mark is replaced where the text is written to the terminal.
 *
 * The mark is in the line below the picture, whose rows are empty lines of text: there is room for it before it is drawn, and a
 * terminal that moves its cursor below a picture does not scroll. Cursor and colours are put back.
 */

import { rewriteOutput } from "../terminal/stream-override.ts";
import type { CellBox } from "./fit.ts";

export interface Drawing extends CellBox {
  /** Draws it from the cursor on, in so many cells. */
  readonly sequence: string;
  /** Written with its first drawing only. */
  readonly upload?: string | undefined;
  /** Takes it off the screen, where erasing the text does not. */
  readonly erase?: string | undefined;
}

/** Marks are reused when there are more pictures. */
const MARKS = 1_024;
const FIRST_MARK = 0x10f000;
/** What every mark starts with in UTF-16, for a quick check: most texts have none. */
const MARK_START = "\udbfc";
const ANY_MARK = /[\u{10f000}-\u{10f3ff}]/gu;
/** Of sequences that are kept for drawing them again; the oldest go first. */
const MAX_KEPT_CHARS = 48_000_000;
/** Columns before a picture. */
const PICTURE_INDENT = 2;

export class PictureMarks {
  /** Where text with marks is written. */
  readonly stdout: NodeJS.WriteStream;
  readonly #terminal: NodeJS.WriteStream;
  readonly #drawings = new Map<string, Drawing>();
  readonly #drawn = new Set<Drawing>();
  /** Sequences that erase pictures which are on the screen but have no mark any more. */
  #leftOver = "";
  #keptChars = 0;
  #next = 0;

  constructor(terminal: NodeJS.WriteStream) {
    this.#terminal = terminal;
    this.stdout = rewriteOutput(terminal, (text) => this.drawnIn(text));
  }

  /** @returns its mark. */
  add(drawing: Drawing): string {
    const mark = String.fromCodePoint(FIRST_MARK + (this.#next++ % MARKS));
    this.remove(mark);
    this.#drawings.set(mark, drawing);
    this.#keptChars += sizeOf(drawing);
    for (const oldest of this.#drawings.keys()) {
      if (this.#keptChars <= MAX_KEPT_CHARS || oldest === mark) break;
      this.remove(oldest);
    }
    return mark;
  }

  remove(mark: string): void {
    const drawing = this.#drawings.get(mark);
    if (drawing === undefined) return;
    this.#keptChars -= sizeOf(drawing);
    this.#drawings.delete(mark);
    if (this.#drawn.delete(drawing)) this.#leftOver += drawing.erase ?? "";
  }

  /** Whether there are pictures on the screen that erasing the text leaves there. */
  get areInPlace(): boolean {
    return this.#leftOver !== "" || [...this.#drawn].some(({ erase }) => erase !== undefined);
  }

  /** To write before the transcript is written again: erases what would stay over the new text. */
  erased(): string {
    const all = this.#leftOver + [...this.#drawn].map(({ erase = "" }) => erase).join("");
    this.#leftOver = "";
    for (const drawing of this.#drawn) if (drawing.erase !== undefined) this.#drawn.delete(drawing);
    return all;
  }

  /** The text with its pictures in it. */
  drawnIn(text: string): string {
    if (!text.includes(MARK_START)) return text;
    return text.replace(ANY_MARK, (mark) => ` ${this.#draw(mark)}`);
  }

  #draw(mark: string): string {
    const drawing = this.#drawings.get(mark);
    // In a window that has become too small it would be drawn over other text; its name is in the same line.
    const { columns = 80, rows = 24 } = this.#terminal;
    if (drawing === undefined || drawing.rows >= rows || drawing.columns + PICTURE_INDENT > columns)
      return "";
    const upload = this.#drawn.has(drawing) ? "" : (drawing.upload ?? "");
    this.#drawn.add(drawing);
    return `\x1b7${upload}\x1b[${drawing.rows}A\x1b[${PICTURE_INDENT + 1}G${drawing.sequence}\x1b8`;
  }
}

function sizeOf({ sequence, upload = "" }: Drawing): number {
  return sequence.length + upload.length;
}
