/**
 * Exact replacements in a text: where each one goes, whether they can all be made, and the text afterwards. All of them are
 * looked up in the original text; either all are made or none. Pure.
 */

export interface TextEdit {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

export type EditProblem =
  | { readonly kind: "empty"; readonly index: number }
  | { readonly kind: "no-change"; readonly index: number }
  | { readonly kind: "not-found"; readonly index: number }
  | {
      readonly kind: "ambiguous";
      readonly index: number;
      readonly count: number;
      readonly lines: readonly number[];
    }
  | { readonly kind: "overlap"; readonly index: number; readonly other: number; readonly line: number };

export interface EditedText {
  readonly text: string;
  /** Where, in the original, something was replaced; from 1, ascending. */
  readonly lines: readonly number[];
  readonly replacements: number;
}

interface Place {
  readonly index: number;
  readonly start: number;
  readonly end: number;
  readonly edit: TextEdit;
}

export function applyEdits(
  original: string,
  edits: readonly TextEdit[],
): { readonly done: EditedText } | { readonly problem: EditProblem } {
  const folded = new FoldedText(original);
  const places: Place[] = [];
  for (const [index, raw] of edits.entries()) {
    const edit = { ...raw, oldText: foldNewlines(raw.oldText), newText: foldNewlines(raw.newText) };
    if (edit.oldText === "") return { problem: { kind: "empty", index } };
    if (edit.oldText === edit.newText) return { problem: { kind: "no-change", index } };
    const found = occurrences(folded.text, edit.oldText, { overlapping: !edit.replaceAll });
    if (found.length === 0) return { problem: { kind: "not-found", index } };
    if (found.length > 1 && !edit.replaceAll) {
      const lines = lineNumbers(folded.text, found);
      return { problem: { kind: "ambiguous", index, count: found.length, lines } };
    }
    for (const start of found) places.push({ index, start, end: start + edit.oldText.length, edit });
  }
  places.sort((a, b) => a.start - b.start || a.index - b.index);
  const lines = lineNumbers(
    folded.text,
    places.map(({ start }) => start),
  );
  for (const [at, place] of places.entries()) {
    const before = places[at - 1];
    if (before === undefined || before.end <= place.start) continue;
    const [other, index] = [before.index, place.index].sort((a, b) => a - b);
    return { problem: { kind: "overlap", index: index ?? 0, other: other ?? 0, line: lines[at] ?? 0 } };
  }
  return { done: { text: rebuild(folded, places), lines, replacements: places.length } };
}

/** Overlapping ones count for uniqueness: "aa" in "aaa" could be meant in two places. */
function occurrences(text: string, part: string, { overlapping }: { overlapping: boolean }): number[] {
  const found: number[] = [];
  const step = overlapping ? 1 : part.length;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + step)) found.push(at);
  return found;
}

function rebuild(folded: FoldedText, places: readonly Place[]): string {
  const pieces: string[] = [];
  let copied = 0;
  for (const { start, end, edit } of places) {
    // Only what differs is replaced, so that lines given for context keep whatever ending they have.
    const same = sharedEnds(edit.oldText, edit.newText);
    const middle = edit.newText.slice(same.start, edit.newText.length - same.end);
    const newline = folded.newlineFor(start, end);
    pieces.push(
      folded.original.slice(copied, folded.toOriginal(start + same.start)),
      newline === "\n" ? middle : middle.replaceAll("\n", newline),
    );
    copied = folded.toOriginal(end - same.end);
  }
  pieces.push(folded.original.slice(copied));
  return pieces.join("");
}

function sharedEnds(a: string, b: string): { start: number; end: number } {
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let end = 0;
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return { start, end };
}

/** @param indices ascending */
function lineNumbers(text: string, indices: readonly number[]): number[] {
  let line = 1;
  let newline = text.indexOf("\n");
  return indices.map((index) => {
    for (; newline !== -1 && newline < index; newline = text.indexOf("\n", newline + 1)) line++;
    return line;
  });
}

/** A text in which CR LF counts as one newline, with a map back to positions in the original. */
class FoldedText {
  readonly text: string;
  readonly original: string;
  /** Where in `text` the newlines are that were CR LF, ascending. */
  readonly #crlf: readonly number[];
  readonly #newlines: number;

  constructor(original: string) {
    this.original = original;
    this.text = foldNewlines(original);
    const crlf: number[] = [];
    for (let at = original.indexOf("\r\n"); at !== -1; at = original.indexOf("\r\n", at + 2)) {
      crlf.push(at - crlf.length);
    }
    this.#crlf = crlf;
    this.#newlines = this.text.split("\n").length - 1;
  }

  /** The index in the original of what is at `index` in `text`. */
  toOriginal(index: number): number {
    return index + this.#crlfBefore(index);
  }

  /** How a newline is written that is put between `start` and `end`: as the first one there, else as most of the file's. */
  newlineFor(start: number, end: number): "\n" | "\r\n" {
    const first = this.text.slice(start, end).indexOf("\n");
    const isCrlf =
      first === -1
        ? this.#crlf.length * 2 > this.#newlines
        : this.#crlfBefore(start + first + 1) > this.#crlfBefore(start + first);
    return isCrlf ? "\r\n" : "\n";
  }

  #crlfBefore(index: number): number {
    let low = 0;
    let high = this.#crlf.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#crlf[middle] ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export function foldNewlines(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
