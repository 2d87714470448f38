/**
 * Lines on their way past Ink. Its layout takes every character of a frame apart and puts it together again, several times, which
 * costs ten milliseconds for a screen of text; our lines fit the screen already. So Ink gets one sign for each line, places it,
 * finds out which have changed, and the sign is replaced by its line where the frame is written to the terminal.
 *
 * Terminals do not agree on how wide `⚠️` is, or a family of emoji. So the cursor is not put into a column behind such a sign: the line is
 * written once more up to there, and the cursor is where the terminal itself has come to.
 *
 * A line keeps its sign for as long as it is shown, and a new one gets a new sign: for Ink, equal signs are equal lines.
 */

import { clip } from "../text/lines.ts";
import { rewrittenOutput } from "./rewritten-output.ts";

/** Private characters that no font is known to use, below those of pictures (`src/ui/images/picture-marks.ts`). */
const FIRST_SIGN = 0x108000;
const SIGNS = 0x7000;
const ANY_SIGN = /[\u{108000}-\u{10efff}]/gu;
/** What the signs begin with in UTF-16. */
const SIGN_START = /[\udbe0-\udbfb]/;
/** Makes the cursor visible. */
const SHOWN = "\x1b[?25h";
/** Several frames: Ink may write the one before once more. */
const KEPT = 4_096;
/** Joined, coloured, chosen as a picture, or flags: what is two columns wide for some and one, four or six for others. */
const UNSURE = /[\u200d\ufe0f\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}]/u;
const SEQUENCES = /\p{Cc}(?:\[[\d;]*m|\]8;[^\p{Cc}]*\p{Cc})?/gu;

type Cursor = { readonly x: number; readonly y: number };

export class LinePlaceholders {
  /** Where text with signs is written. */
  readonly stdout: NodeJS.WriteStream;
  /** The newest used last. */
  readonly #signs = new Map<string, string>();
  readonly #lines = new Map<string, string>();
  #next = 0;
  #cursor: { readonly column: string; readonly before: string } | undefined;

  constructor(terminal: NodeJS.WriteStream) {
    this.stdout = rewrittenOutput(terminal, (text) => this.#written(text));
  }

  /** What Ink is to place, for lines that fit the width. @param cursor where Ink puts it. */
  of(lines: readonly string[], width: number, cursor?: Cursor): string {
    const before = cursor ? Bun.sliceAnsi(lines[cursor.y] ?? "", 0, cursor.x) : "";
    // As Ink writes it, which counts from 1.
    this.#cursor =
      cursor && UNSURE.test(before) ? { column: `\x1b[${cursor.x + 1}G${SHOWN}`, before } : undefined;
    const text = lines.map((line) => (line === "" ? "" : this.#signOf(fitting(line, width)))).join("\n");
    for (const [line, sign] of this.#signs) {
      if (this.#signs.size <= KEPT) break;
      this.#signs.delete(line);
      this.#lines.delete(sign);
    }
    return text;
  }

  #signOf(line: string): string {
    const sign = this.#signs.get(line) ?? this.#newSign();
    this.#signs.delete(line);
    this.#signs.set(line, sign);
    this.#lines.set(sign, line);
    return sign;
  }

  #newSign(): string {
    for (;;) {
      const sign = String.fromCodePoint(FIRST_SIGN + (this.#next++ % SIGNS));
      if (!this.#lines.has(sign)) return sign;
    }
  }

  #written(text: string): string {
    const { column, before } = this.#cursor ?? { column: undefined, before: "" };
    const moved = column === undefined ? text : text.replace(column, () => `\r${before}${SHOWN}`);
    return SIGN_START.test(moved) ? moved.replace(ANY_SIGN, (sign) => this.#lines.get(sign) ?? "") : moved;
  }
}

/** One that is too long, or moves the cursor, would put all that is below it in the wrong place. */
function fitting(line: string, width: number): string {
  const styled = line.replace(SEQUENCES, (sequence) =>
    sequence.length > 1 && sequence.startsWith("\x1b") ? sequence : "",
  );
  return clip(styled, width, "");
}
