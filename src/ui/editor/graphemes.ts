/**
 * Characters as a person sees them: where one ends and the next begins, and how many columns it takes on the screen. Owns the one
 * `Intl.Segmenter` of the editor; knows nothing of lines or cursors.
 */

const plainAscii = /^[\x20-\x7e]*$/;

/** Spaces that stand for a tab on the screen. Fixed, so that a width never depends on where a character is. */
export const tabWidth = 4;

export function isPlainAscii(text: string): boolean {
  return plainAscii.test(text);
}

let segmenter: Intl.Segmenter | undefined;

function segments(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return segmenter.segment(text);
}

export interface Grapheme {
  readonly text: string;
  /** UTF-16 offset in the text that was split. */
  readonly start: number;
  readonly width: number;
}

/** The graphemes of one line. */
export function graphemesOf(line: string): Grapheme[] {
  if (plainAscii.test(line)) return Array.from(line, (text, start) => ({ text, start, width: 1 }));
  return Array.from(segments(line), ({ segment, index }) => ({
    text: segment,
    start: index,
    width: displayWidth(segment),
  }));
}

export function displayWidth(text: string): number {
  if (plainAscii.test(text)) return text.length;
  let tabs = 0;
  for (let at = text.indexOf("\t"); at !== -1; at = text.indexOf("\t", at + 1)) tabs++;
  return Bun.stringWidth(text) + tabs * tabWidth;
}

/** The text as it is drawn: tabs become spaces. */
export function drawn(text: string): string {
  return text.includes("\t") ? text.replaceAll("\t", " ".repeat(tabWidth)) : text;
}

// A grapheme never crosses a line break, and only its own neighbourhood decides where it ends: the line is enough to look at.
function lineAround(text: string, offset: number): { start: number; line: string } {
  const start = offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
  const end = text.indexOf("\n", offset);
  return { start, line: text.slice(start, end === -1 ? text.length : end) };
}

/** Where the grapheme that begins at `offset` ends. */
export function nextBoundary(text: string, offset: number): number {
  if (offset >= text.length) return text.length;
  if (text[offset] === "\n") return offset + 1;
  const { start, line } = lineAround(text, offset);
  const found = segments(line).containing(offset - start);
  return found === undefined ? offset + 1 : start + found.index + found.segment.length;
}

/** Where the grapheme that ends at `offset` begins. */
export function previousBoundary(text: string, offset: number): number {
  if (offset <= 0) return 0;
  if (text[offset - 1] === "\n") return offset - 1;
  const { start, line } = lineAround(text, offset);
  const found = segments(line).containing(offset - start - 1);
  return found === undefined ? offset - 1 : start + found.index;
}

/** The offset itself where it is a boundary, else the start of the grapheme that it would cut. */
export function snapToBoundary(text: string, offset: number): number {
  const inside = Math.max(0, Math.min(offset, text.length));
  if (inside === 0 || inside === text.length || text[inside] === "\n") return inside;
  const { start, line } = lineAround(text, inside);
  const found = segments(line).containing(inside - start);
  return found === undefined ? inside : start + found.index;
}
