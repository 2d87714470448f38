/**
 * Characters as a person sees them: where one ends and the next starts, and how many columns it takes on the screen. Owns the editor's
 * only `Intl.Segmenter`; knows nothing of lines or cursors.
 */

const PLAIN_ASCII = /^[\x20-\x7e]*$/;

/** Spaces drawn for a tab. Fixed, so that a width never depends on where a character is. */
const TAB = "    ";

export function isPlainAscii(text: string): boolean {
  return PLAIN_ASCII.test(text);
}

let segmenter: Intl.Segmenter | undefined;

function segmentsOf(text: string): Intl.Segments {
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
  if (isPlainAscii(line)) return Array.from(line, (text, start) => ({ text, start, width: 1 }));
  return Array.from(segmentsOf(line), ({ segment, index }) => ({
    text: segment,
    start: index,
    width: displayWidth(segment),
  }));
}

export function displayWidth(text: string): number {
  return isPlainAscii(text) ? text.length : Bun.stringWidth(expandTabs(text));
}

export function expandTabs(text: string): string {
  return text.replaceAll("\t", TAB);
}

/** The grapheme that contains `offset`. None crosses a line break, so its own line is enough to look at. */
function graphemeAround(text: string, offset: number): { readonly start: number; readonly end: number } {
  if (text[offset] === "\n") return { start: offset, end: offset + 1 };
  const lineStart = offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
  const lineEnd = text.indexOf("\n", offset);
  const line = text.slice(lineStart, lineEnd === -1 ? text.length : lineEnd);
  const found = segmentsOf(line).containing(offset - lineStart);
  const start = found === undefined ? offset : lineStart + found.index;
  return { start, end: start + (found?.segment.length ?? 1) };
}

/** Where the grapheme that starts at `offset` ends. */
export function nextBoundary(text: string, offset: number): number {
  return offset >= text.length ? text.length : graphemeAround(text, offset).end;
}

/** Where the grapheme that ends at `offset` starts. */
export function previousBoundary(text: string, offset: number): number {
  return offset <= 0 ? 0 : graphemeAround(text, offset - 1).start;
}

/** The offset itself if it is a boundary, else the start of the grapheme around it. */
export function snapToBoundary(text: string, offset: number): number {
  if (offset <= 0) return 0;
  return offset >= text.length ? text.length : graphemeAround(text, offset).start;
}
