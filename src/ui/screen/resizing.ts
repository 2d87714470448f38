/** Follows the window's size: the live region is erased where the terminal has moved it, and drawn for the new size. */

import type { Store } from "../store/store.ts";
import { type Reflow, rowsAdded } from "../terminal/reflow.ts";
import type { Block } from "../view.ts";

/** What omp has on the screen. */
export interface Region {
  readonly block: Block;
  /** Printed above the block. */
  readonly linesAbove: number;
  /** The last of them. */
  readonly lastAbove?: (count: number) => readonly string[];
}

export interface ResizingOptions {
  readonly store: Store;
  readonly stdout: NodeJS.WriteStream;
  readonly reflow: () => Reflow;
}

export class Resizing {
  readonly #options: ResizingOptions;
  #region: Region = { block: { lines: [], cursor: undefined }, linesAbove: 0 };
  /** Rows below the block, except the empty one where it ends, as if omp had started at the top of the screen; where it did is not known. */
  #freeRows: number;

  constructor(options: ResizingOptions) {
    this.#options = options;
    this.#freeRows = options.store.get().size.rows - 1;
  }

  readonly onDrawn = (region: Region): void => {
    const before = this.#region;
    this.#region = region;
    const printed = region.linesAbove - before.linesAbove;
    const added = printed + region.block.lines.length - before.block.lines.length;
    // A transcript that was written again ends somewhere else.
    this.#freeRows = printed < 0 ? 0 : Math.max(0, this.#freeRows - added);
  };

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
  }
}
