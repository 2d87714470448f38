/**
 * Lines on their way past Ink. Its layout takes every character of a frame apart and puts it together again, several times, which
 * costs ten milliseconds for a screen of text; our lines fit the screen already. So Ink gets one placeholder character for each line,
 * positions it and finds out which have changed, and the placeholder is replaced by its line where the frame is written to the terminal.
 *
 * Terminals do not agree on how wide `⚠️` is, or a family of emoji. So the cursor is not put into a column after such a character: the line
 * is written once more up to there, which leaves the cursor where the terminal itself has put it.
 *
 * A line keeps its placeholder for as long as it is shown, and a new line gets a new one: for Ink, equal placeholders are equal lines.
 */

import { clip } from "../text/lines.ts";
import { inFewerBytes } from "./fewer-bytes.ts";
import { rewriteOutput } from "./stream-override.ts";

/** Private characters that no font is known to use, below those of pictures (`src/ui/images/picture-marks.ts`). */
const FIRST = 0x108000;
const COUNT = 0x7000;
const PLACEHOLDERS = /[\u{108000}-\u{10efff}]/gu;
/** What they start with in UTF-16. */
const PLACEHOLDER_START = /[\udbe0-\udbfb]/;
const SHOW_CURSOR = "\x1b[?25h";
/** Several frames: Ink may write the previous one once more. */
const MAX_KEPT = 4_096;
/** Joined, coloured, emoji variants, or flags: two columns wide in some terminals and one, four or six in others. */
const UNSURE = /[\u200d\ufe0f\u{1f1e6}-\u{1f1ff}\u{1f3fb}-\u{1f3ff}]/u;
const SEQUENCES = /\p{Cc}(?:\[[\d;]*m|\]8;[^\p{Cc}]*\p{Cc})?/gu;

type Cursor = { readonly x: number; readonly y: number };

export class LinePlaceholders {
  /** Where text with placeholders is written. */
  readonly stdout: NodeJS.WriteStream;
  /** By line, the most recently used last. */
  readonly #placeholders = new Map<string, string>();
  readonly #lines = new Map<string, string>();
  #next = 0;
  #cursor: { readonly column: string; readonly before: string } | undefined;

  constructor(terminal: NodeJS.WriteStream) {
    this.stdout = rewriteOutput(terminal, (text) => this.#insertLines(text));
  }

  /** What Ink gets for lines that fit the width. @param cursor where Ink puts it. */
  of(lines: readonly string[], width: number, cursor?: Cursor): string {
    const before = cursor ? Bun.sliceAnsi(lines[cursor.y] ?? "", 0, cursor.x) : "";
    // As Ink writes it, which counts from 1.
    this.#cursor =
      cursor && hasUnsureWidth(before)
        ? { column: `\x1b[${cursor.x + 1}G${SHOW_CURSOR}`, before }
        : undefined;
    const text = lines
      .map((line) => (line === "" ? "" : this.#placeholderOf(fitLine(line, width))))
      .join("\n");
    for (const [line, placeholder] of this.#placeholders) {
      if (this.#placeholders.size <= MAX_KEPT) break;
      this.#placeholders.delete(line);
      this.#lines.delete(placeholder);
    }
    return text;
  }

  /** The line is no longer where Ink has written it: wherever it is shown next, Ink shall write it again. */
  forget(line: string): void {
    const placeholder = this.#placeholders.get(line);
    if (placeholder === undefined) return;
    this.#placeholders.delete(line);
    // No line has this name: control characters are left out of lines. Kept, for Ink may write the frame of before once more.
    this.#placeholders.set(`\0${placeholder}`, placeholder);
  }

  #placeholderOf(line: string): string {
    const placeholder = this.#placeholders.get(line) ?? this.#newPlaceholder();
    this.#placeholders.delete(line);
    this.#placeholders.set(line, placeholder);
    this.#lines.set(placeholder, line);
    return placeholder;
  }

  #newPlaceholder(): string {
    for (;;) {
      const placeholder = String.fromCodePoint(FIRST + (this.#next++ % COUNT));
      if (!this.#lines.has(placeholder)) return placeholder;
    }
  }

  #insertLines(text: string): string {
    const { column, before } = this.#cursor ?? { column: undefined, before: "" };
    const moved = column === undefined ? text : text.replace(column, () => `\r${before}${SHOW_CURSOR}`);
    if (!PLACEHOLDER_START.test(moved)) return moved;
    return inFewerBytes(moved.replace(PLACEHOLDERS, (placeholder) => this.#lines.get(placeholder) ?? ""));
  }
}

/** Terminals do not agree on its width. */
export function hasUnsureWidth(text: string): boolean {
  return UNSURE.test(text);
}

/** A line that is too long, or moves the cursor, would shift everything below it. */
export function fitLine(line: string, width: number): string {
  const styled = line.replace(SEQUENCES, (sequence) =>
    sequence.length > 1 && sequence.startsWith("\x1b") ? sequence : "",
  );
  return clip(styled, width, "");
}
