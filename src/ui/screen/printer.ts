/**
 * What goes to the scrollback, and when: an item as soon as it is finished, an answer line by line as soon as no further text can change a
 * line. Nothing is printed twice. Knows what is above the frame.
 */

import { isOpenText } from "../store/answers.ts";
import type { Item, UiState } from "../store/state.ts";
import { widthOf } from "../text/lines.ts";
import type { View } from "../view.ts";
import { finishedLines, itemLines } from "../views/item.ts";
import { spaced } from "../views/spacing.ts";
import { unprintedLines } from "./unprinted.ts";

/** Lines for Ink's `<Static>`, which prints each chunk once. */
export interface Chunk {
  readonly id: number;
  readonly lines: readonly string[];
}

/** Changing the key starts with an empty list: what was printed need not be kept. */
export interface Chunks {
  readonly key: number;
  readonly items: Chunk[];
}

interface Printed {
  readonly id: string;
  readonly lines: readonly string[];
}

interface RecentlyPrinted extends Printed {
  /** Nothing sets it apart from what follows. */
  readonly isTight: boolean;
}

/** More items at once are written past Ink, whose layout is too slow for them. */
const MANY_ITEMS = 50;
/** So are more lines at once: it makes an object of every letter, which is a gigabyte for an answer of a megabyte. */
const MANY_LINES = 200;
const MOST_CHUNKS = 50;
/** More than any screen shows. */
const MOST_RECENT_LINES = 500;

export class Printer {
  #chunks: Chunks = { key: 0, items: [] };
  #shownChunks = 0;
  #nextChunk = 0;
  /** Counted as printed; to be written as soon as the frame is drawn. */
  #unwritten: string[] = [];
  /** Finished items that are printed. */
  #items = 0;
  /** The item that is being received, as far as it is printed. */
  #open: Printed | undefined;
  #recent: RecentlyPrinted[] = [];
  #lineCount = 0;
  #redraws = 0;
  #clearings = 0;
  /** While another program has the terminal, nothing can be printed. */
  isHeld = false;

  /** How many lines are above the frame. */
  get lineCount(): number {
    return this.#lineCount;
  }

  /** How often the first of them was put at the top of the screen. */
  get clearings(): number {
    return this.#clearings;
  }

  /** No empty line is right above the frame. */
  get isTight(): boolean {
    return this.#recent.at(-1)?.isTight ?? false;
  }

  /** The last lines that were printed. */
  lastLines(count: number): readonly string[] {
    return this.#recent.flatMap(({ lines }) => lines).slice(-Math.max(1, count));
  }

  /** To be called with every state; several times with the same one changes nothing. */
  take(state: UiState, view: View): Chunks {
    if (this.#isHeld(state) || this.#isForWriting(state)) return this.#chunks;
    const lines = this.#advance(state, view);
    if (lines.length > MANY_LINES || this.#unwritten.length > 0) {
      for (const line of lines) this.#unwritten.push(line);
      return this.#chunks;
    }
    if (lines.length === 0) return this.#chunks;
    const { key, items } = this.#chunks;
    const isFull = items.length >= MOST_CHUNKS && this.#shownChunks === items.length;
    this.#nextChunk += 1;
    const chunk = { id: this.#nextChunk, lines };
    this.#chunks = isFull ? { key: key + 1, items: [chunk] } : { key, items: [...items, chunk] };
    return this.#chunks;
  }

  /** What Ink was given is on the screen. @returns what has to be written past it. */
  drawn(state: UiState, view: View, freeRows: number, erasePictures: () => string): string | undefined {
    this.#shownChunks = this.#chunks.items.length;
    if (this.#isHeld(state)) return undefined;
    const unwritten = joined(this.#unwritten.splice(0));
    if (!this.#isForWriting(state)) return unwritten || undefined;
    const isRedraw = state.redraw.count !== this.#redraws;
    this.#redraws = state.redraw.count;
    const start = isRedraw ? erasePictures() + this.#erase(state, freeRows) : "";
    return unwritten + start + joined(this.#advance(state, view));
  }

  /** The lines of an item that are not above the frame. */
  readonly unprinted = (item: Item, lines: readonly string[]): readonly string[] =>
    item.id === this.#open?.id ? unprintedLines(lines, this.#open.lines) : lines;

  /** While the size changes, what is written may arrive when the window has another one. */
  #isHeld({ isResizing }: UiState): boolean {
    return this.isHeld || isResizing;
  }

  #isForWriting({ redraw, finished }: UiState): boolean {
    return redraw.count !== this.#redraws || finished.length - this.#items > MANY_ITEMS;
  }

  #advance({ finished, live }: UiState, view: View): string[] {
    const printed: string[] = [];
    const print = (id: string, lines: readonly string[], isTight = false) => {
      for (const line of lines) printed.push(line);
      this.#remember({ id, lines, isTight });
    };
    const [first] = live;
    const started = this.#open?.id;
    const fresh = finished.slice(this.#items);
    // What was being received is not part of the answer: it starts again.
    if (started !== undefined && first?.id !== started && !fresh.some(({ id }) => id === started)) {
      if (this.lastLines(1).at(-1) !== "") print(started, [""]);
      this.#open = undefined;
    }
    for (const item of fresh) {
      const { isTight: isTightAbove } = this;
      const { lines, isTight } = spaced(item, itemLines(item, view), { isTightAbove });
      print(item.id, this.unprinted(item, lines), isTight);
      if (item.id === this.#open?.id) this.#open = undefined;
    }
    this.#items = finished.length;
    if (isOpenText(first)) {
      const lines = this.unprinted(first, finishedLines(first, view));
      if (lines.length > 0) {
        const gap = this.isTight ? [""] : [];
        this.#open = { id: first.id, lines: [...(this.#open?.lines ?? []), ...lines] };
        print(first.id, [...gap, ...lines]);
      }
    }
    return printed;
  }

  /** Removes what is written again, as far as it can be: a terminal erases its screen, or the whole scrollback with it. */
  #erase({ redraw, finished, size }: UiState, freeRows: number): string {
    if (redraw.what === "all") {
      this.#recent = [];
      this.#items = 0;
      this.#open = undefined;
      this.#lineCount = 0;
      this.#clearings += 1;
      return CLEAR;
    }
    // Only items that are on the screen as a whole: of the others, a part would be there twice.
    let rows = 0;
    let from = this.#recent.length;
    while (from > 0) {
      const before = rows + rowsOf(this.#recent[from - 1]?.lines ?? [], size.columns);
      if (before > freeRows) break;
      rows = before;
      from -= 1;
    }
    const ids = new Set(this.#recent.slice(from).map(({ id }) => id));
    // An item that was printed in several parts stays if one of them does.
    for (const { id } of this.#recent.slice(0, from)) ids.delete(id);
    while (from < this.#recent.length && !ids.has(this.#recent[from]?.id ?? "")) {
      rows -= rowsOf(this.#recent[from]?.lines ?? [], size.columns);
      from += 1;
    }
    this.#lineCount -= this.#recent.slice(from).reduce((sum, { lines }) => sum + lines.length, 0);
    this.#recent = this.#recent.slice(0, from);
    if (this.#open && ids.has(this.#open.id)) this.#open = undefined;
    if (redraw.what === "gone") this.#open = undefined;
    const firstErased = finished.slice(0, this.#items).findIndex(({ id }) => ids.has(id));
    if (redraw.what === "gone") this.#items = 0;
    else if (firstErased >= 0) this.#items = firstErased;
    return eraseRows(rows);
  }

  #remember(printed: RecentlyPrinted): void {
    if (printed.lines.length === 0) return;
    this.#lineCount += printed.lines.length;
    this.#recent.push(printed);
    let lines = this.#recent.reduce((sum, each) => sum + each.lines.length, 0);
    while (this.#recent.length > 1 && lines > MOST_RECENT_LINES)
      lines -= this.#recent.shift()?.lines.length ?? 0;
  }
}

function joined(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}

/** The screen, then the scrollback: some terminals move the one into the other. */
const CLEAR = "\x1b[H\x1b[2J\x1b[3J";

/** The first line on its own: tmux keeps a screen that is erased as a whole in its scrollback. */
function eraseRows(rows: number): string {
  return rows > 0 ? `\x1b[${rows}A\r\x1b[2K\x1b[1B\x1b[J\x1b[1A` : "\r\x1b[J";
}

/** Lines that were printed for a wider window have been broken by the terminal. */
function rowsOf(lines: readonly string[], columns: number): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0);
}
