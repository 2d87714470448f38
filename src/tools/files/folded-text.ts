/** A text in which CR LF counts as one newline, with the way back to where things are in the original. Pure. */

export class FoldedText {
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
    this.#newlines = count(this.text, "\n");
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

function count(text: string, part: string): number {
  let found = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) found++;
  return found;
}
