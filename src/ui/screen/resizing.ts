/** Follows the window's size: the live region is erased where the terminal has moved it, and drawn for the new size. */

import type { Store } from "../store/store.ts";
import { type Reflow, rowsAdded } from "../terminal/reflow.ts";
import type { Block } from "../view.ts";

/** What omp has on the screen. */
export interface Region {
  readonly block: Block;
  /** Printed above the block. */
  readonly linesAbove: number;
  /** How often the first of them was put at the top of the screen. */
  readonly clearings?: number;
  /** The last of them. */
  readonly lastAbove?: (count: number) => readonly string[];
}

export interface ResizingOptions {
  readonly store: Store;
  readonly stdout: NodeJS.WriteStream;
  readonly reflow: () => Reflow;
}

/** Longer than the pauses between two sizes of a window whose edge is dragged. */
const SETTLED_MS = 120;
/** After another change a moment ago more are likely: what is drawn between two of them may arrive when the window has the next size. */
const AGAIN_MS = 400;
const MOMENT_MS = 2_000;

export class Resizing {
  readonly #options: ResizingOptions;
  #region: Region = { block: { lines: [], cursor: undefined }, linesAbove: 0 };
  /** Rows below the block, except the empty one where it ends, as if omp had started at the top of the screen; where it did is not known. */
  #freeRows: number;
  #settling: ReturnType<typeof setTimeout> | undefined;
  #settledAt = 0;

  constructor(options: ResizingOptions) {
    this.#options = options;
    this.#freeRows = options.store.get().size.rows - 1;
  }

  readonly onDrawn = (region: Region): void => {
    const before = this.#region;
    this.#region = region;
    const printed = region.linesAbove - before.linesAbove;
    const added = printed + region.block.lines.length - before.block.lines.length;
    const isNew = region.clearings !== before.clearings;
    const free = isNew
      ? this.#options.store.get().size.rows - 1 - region.linesAbove - region.block.lines.length
      : this.#freeRows - added;
    // What was erased above the block has left it where it was.
    this.#freeRows = printed < 0 && !isNew ? this.#freeRows : Math.max(0, free);
  };

  /** To be called with a block of the same height that has taken the place of the last one. */
  onEchoed(block: Block): void {
    this.#region = { ...this.#region, block };
  }

  /** To be called with every new size. @param app undefined while another program has the terminal. */
  resize(app: { clear(): void } | undefined): void {
    const { store, stdout, reflow } = this.#options;
    const before = store.get().size;
    const [columns, rows] = [stdout.columns || 80, stdout.rows || 24];
    const lost = before.rows - rows - this.#freeRows;
    if (app) {
      const { block, linesAbove, lastAbove } = this.#region;
      const rowsAbove = before.rows - 1 - this.#freeRows - block.lines.length;
      const added = rowsAdded(block, {
        reflow: reflow(),
        columns,
        missingRows: lost - 1,
        hasScrolled: linesAbove > rowsAbove,
        above: () => lastAbove?.(rowsAbove) ?? [],
      });
      if (added > 0) stdout.write(`\x1b[${added}A\x1b[J`);
      app.clear();
    }
    this.#freeRows = Math.max(0, -lost);
    store.dispatch({ type: "resized", columns, rows });
    clearTimeout(this.#settling);
    const waitMs = Date.now() - this.#settledAt < MOMENT_MS ? AGAIN_MS : SETTLED_MS;
    this.#settling = setTimeout(() => this.#settle(), waitMs);
  }

  #settle(): void {
    this.#settledAt = Date.now();
    this.#options.store.dispatch({ type: "resize_settled" });
  }
}
