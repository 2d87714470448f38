/**
 * A window on a file of any size. It holds one screen and a bounded index, reads only around what it shows, and publishes what it shows as
 * one immutable view. Actions run one after the other; a new one ends a search or a seek that is still running. Draws nothing, owns no timer.
 */

import { clipLine } from "./clip.ts";
import { LineIndex } from "./line-index.ts";
import type { PagedFile } from "./paged-file.ts";
import { type FileRow, RowReader } from "./rows.ts";
import { type Direction, findWrapping, type SearchQuery, searchQuery } from "./search.ts";
import { emptyView, type PagerAction, type PagerSearch, type PagerView } from "./view.ts";

export interface PagerOptions {
  readonly rows: number;
  /** For the text itself; line numbers are drawn beside it. */
  readonly columns: number;
}

export class Pager {
  readonly #file: PagedFile;
  readonly #reader: RowReader;
  #index: LineIndex;
  readonly #listeners = new Set<() => void>();
  readonly #closed = new AbortController();
  #height: number;
  #width: number;
  #size = 0;
  #top = 0;
  #left = 0;
  #isFollowing = false;
  #query: { readonly query: SearchQuery; readonly direction: Direction } | undefined;
  #search: PagerSearch | undefined;
  #view = emptyView;
  #queue: Promise<void> = Promise.resolve();
  #running = new AbortController();
  #indexing: Promise<void> | undefined;
  #wantsIndex = false;

  constructor(file: PagedFile, { rows, columns }: PagerOptions) {
    this.#file = file;
    this.#reader = new RowReader(file);
    this.#index = new LineIndex(file);
    this.#height = Math.max(1, rows);
    this.#width = Math.max(1, columns);
  }

  /** Reads the first screen. */
  async open(): Promise<void> {
    await this.act({ kind: "refresh" });
  }

  get view(): PagerView {
    return this.#view;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Resolves when the action is done and the view shows it. */
  act(action: PagerAction): Promise<void> {
    let { signal } = this.#closed;
    if (action.kind !== "refresh" && action.kind !== "resize") {
      this.cancel();
      this.#running = new AbortController();
      signal = this.#running.signal;
    }
    const done = this.#queue.then(() => this.#run(action, signal));
    this.#queue = done;
    return done;
  }

  /** Ends a search or a seek that is running. */
  cancel(): void {
    this.#running.abort();
  }

  /** Counts the lines of the whole file in the background; resolves at its end. Line numbers appear on the way. */
  indexInBackground(): Promise<void> {
    this.#wantsIndex = true;
    this.#indexing ??= this.#indexAll().finally(() => {
      this.#indexing = undefined;
    });
    return this.#indexing;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.cancel();
    await this.#queue;
    await this.#indexing;
    await this.#file.close();
  }

  async #run(action: PagerAction, signal: AbortSignal): Promise<void> {
    if (this.#closed.signal.aborted) return;
    try {
      await this.#move(action, signal);
      await this.#show();
    } catch (error) {
      this.#publish({ ...this.#view, problem: error instanceof Error ? error.message : String(error) });
    }
  }

  async #move(action: PagerAction, signal: AbortSignal): Promise<void> {
    switch (action.kind) {
      case "lines":
        return this.#moveRows(action.by);
      case "pages":
        return this.#moveRows(
          Math.sign(action.by) * Math.max(1, Math.floor(Math.abs(action.by) * this.#height)),
        );
      case "columns":
        this.#left = Math.max(0, this.#left + action.by);
        return;
      case "start":
        return this.#goTo(0);
      case "end":
        return this.#goTo(await this.#lastTop());
      case "line":
        return this.#goToLine(action.line, signal);
      case "percent": {
        const share = Math.max(0, Math.min(100, action.percent)) / 100;
        return this.#goTo(await this.#reader.rowStartAt(Math.floor(this.#size * share), this.#size));
      }
      case "search":
        this.#query = { query: searchQuery(action.text), direction: action.direction };
        this.#search = undefined;
        return this.#find(action.direction, signal);
      case "next match":
        return this.#find(this.#query?.direction ?? "forward", signal);
      case "previous match":
        return this.#find(this.#query?.direction === "backward" ? "forward" : "backward", signal);
      case "follow":
        this.#isFollowing = action.isOn;
        return action.isOn ? this.#refresh() : undefined;
      case "resize":
        this.#height = Math.max(1, action.rows);
        this.#width = Math.max(1, action.columns);
        return;
      case "refresh":
        return this.#refresh();
    }
  }

  async #moveRows(by: number): Promise<void> {
    if (by >= 0) {
      const rows = await this.#reader.rowsFrom(this.#top, by, this.#size);
      return this.#goTo(rows.at(-1)?.next ?? this.#top);
    }
    let top = this.#top;
    for (let step = by; step < 0 && top > 0; step++) top = await this.#reader.rowStartBefore(top, this.#size);
    return this.#goTo(top);
  }

  /** Never so far that the screen would be half empty. */
  async #goTo(top: number): Promise<void> {
    this.#isFollowing = false;
    const rows = await this.#reader.rowsFrom(top, this.#height, this.#size);
    this.#top = rows.length < this.#height ? await this.#lastTop() : top;
  }

  async #lastTop(): Promise<number> {
    let top = this.#size;
    for (let row = 0; row < this.#height && top > 0; row++) {
      top = await this.#reader.rowStartBefore(top, this.#size);
    }
    // Pieces of an endless line may be cut elsewhere on the way down, and then be more.
    const rows = await this.#reader.rowsFrom(top, 2 * this.#height, this.#size);
    return rows.at(-this.#height)?.start ?? top;
  }

  async #goToLine(line: number, signal: AbortSignal): Promise<void> {
    // The index continues from where it is: a line near the start is found at once.
    let isMore = true;
    while (!signal.aborted && isMore && this.#index.knownLines < line) {
      isMore = await this.#index.advance(this.#size);
    }
    if (signal.aborted) return;
    const offset = await this.#index.offsetOf(Math.min(line, Math.max(1, this.#index.knownLines)));
    return this.#goTo(offset ?? 0);
  }

  async #find(direction: Direction, signal: AbortSignal): Promise<void> {
    const { query } = this.#query ?? {};
    if (query === undefined) return;
    const previous = this.#search?.matchOffset;
    // From the previous match, or from the top of the screen.
    const start = previous === undefined ? this.#top : direction === "forward" ? previous + 1 : previous;
    const outcome = await findWrapping(this.#file, {
      query,
      direction,
      start,
      size: this.#size,
      signal,
      onProgress: (share) => this.#showProgress(query.text, share),
    });
    if (outcome.kind === "found") return this.#showMatch(query, outcome.at, outcome.isWrapped);
    const { kind: state } = outcome;
    this.#search = { text: query.text, state, isWrapped: false, progress: 1, matchOffset: previous };
  }

  #showProgress(text: string, progress: number): void {
    const { matchOffset, state, progress: before } = this.#search ?? {};
    // A hundred updates are enough, however large the file is.
    if (state === "searching" && before !== undefined && progress - before < 0.01) return;
    this.#search = { text, state: "searching", isWrapped: false, progress, matchOffset };
    this.#publish({ ...this.#view, search: this.#search });
  }

  async #showMatch(query: SearchQuery, at: number, isWrapped: boolean): Promise<void> {
    this.#search = { text: query.text, state: "found", isWrapped, progress: 1, matchOffset: at };
    const rowStart = await this.#reader.rowStartAt(at, this.#size);
    if (at < this.#view.top || at >= this.#view.bottom || this.#view.rows.length === 0)
      await this.#goTo(rowStart);
    const before = new TextDecoder().decode(await this.#file.read(rowStart, at - rowStart));
    const column = Bun.stringWidth(before);
    const end = column + Bun.stringWidth(query.text);
    if (column < this.#left || end > this.#left + this.#width) {
      this.#left = end <= this.#width ? 0 : Math.max(0, column - Math.floor(this.#width / 2));
    }
  }

  async #refresh(): Promise<void> {
    const size = await this.#file.size();
    if (size !== this.#size) this.#reader.forget();
    if (size < this.#size) {
      this.#index = new LineIndex(this.#file);
      this.#top = 0;
      this.#search = undefined;
    }
    this.#size = size;
    if (this.#isFollowing) this.#top = await this.#lastTop();
    // A file that has grown has more lines to count. The promise never rejects.
    if (this.#wantsIndex && this.#index.indexedBytes < size) void this.indexInBackground();
  }

  async #show(): Promise<void> {
    const rows = await this.#reader.rowsFrom(this.#top, this.#height, this.#size);
    const firstLine = this.#top === 0 ? 1 : await this.#index.lineAt(this.#top);
    const bottom = rows.at(-1)?.next ?? this.#top;
    const isIndexed = this.#index.indexedBytes >= this.#size;
    this.#publish({
      rows: this.#drawRows(rows, firstLine),
      top: this.#top,
      bottom,
      size: this.#size,
      percent: this.#size === 0 ? 100 : Math.floor((bottom / this.#size) * 100),
      totalLines: isIndexed ? this.#index.knownLines : undefined,
      indexedBytes: this.#index.indexedBytes,
      isFollowing: this.#isFollowing,
      search: this.#search,
      problem: undefined,
    });
  }

  #drawRows(rows: readonly FileRow[], firstLine: number | undefined): PagerView["rows"] {
    let line = firstLine;
    return rows.map((row, at) => {
      if (at > 0 && !row.isContinuation && line !== undefined) line++;
      const highlight = this.#query?.query;
      const text = clipLine(row.text, { left: this.#left, width: this.#width, highlight });
      return { text, line, isContinuation: row.isContinuation };
    });
  }

  async #indexAll(): Promise<void> {
    const { signal } = this.#closed;
    // Every read lets keys and drawing in between.
    while (!signal.aborted && (await this.#advanceQuietly())) {
      const isNewlyKnown = this.#view.rows[0]?.line === undefined && this.#index.indexedBytes >= this.#top;
      if (isNewlyKnown && this.#view.rows.length > 0) await this.act({ kind: "refresh" });
      const { indexedBytes } = this.#index;
      if (indexedBytes - this.#view.indexedBytes > this.#size / 50)
        this.#publish({ ...this.#view, indexedBytes });
    }
    if (!signal.aborted) await this.act({ kind: "refresh" });
  }

  /** A file that cannot be read is a problem in the view; indexing just ends. */
  async #advanceQuietly(): Promise<boolean> {
    try {
      return await this.#index.advance(this.#size);
    } catch (error) {
      this.#publish({ ...this.#view, problem: error instanceof Error ? error.message : String(error) });
      return false;
    }
  }

  #publish(view: PagerView): void {
    this.#view = view;
    for (const listener of this.#listeners) listener();
  }
}
