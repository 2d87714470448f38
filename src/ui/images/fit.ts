/** How many cells a picture takes: its own size where there is room, else as large as fits, always in its own proportions. */

import type { ImageSize } from "./decode.ts";

export interface CellBox {
  readonly columns: number;
  readonly rows: number;
}

/**
 * Pixels of a cell in a window that can hold a picture of this size, where nothing better is known. Rather less than there are: a
 * picture must not cover the text below it. A limit that is smaller than the window makes one side too small; fonts are about twice as
 * high as wide.
 */
export function cellWithin({ width, height }: ImageSize, { columns, rows }: CellBox): ImageSize {
  const [wide, high] = [Math.floor(width / columns), Math.floor(height / rows)];
  return {
    width: Math.max(1, wide, Math.floor(high * 0.4)),
    height: Math.max(2, high, Math.floor(wide * 1.5)),
  };
}

/** As many cells as a picture of this size covers, no more than the limit. */
export function cellsWithin({ width, height }: ImageSize, cell: ImageSize, limit: CellBox): CellBox {
  return {
    columns: Math.max(1, Math.min(limit.columns, Math.floor(width / cell.width))),
    rows: Math.max(1, Math.min(limit.rows, Math.floor(height / cell.height))),
  };
}

export function fitToCells(image: ImageSize, cell: ImageSize, limit: CellBox): CellBox {
  const scale = Math.min(
    1,
    (limit.columns * cell.width) / image.width,
    (limit.rows * cell.height) / image.height,
  );
  const cells = (pixels: number, one: number, most: number): number =>
    Math.max(1, Math.min(most, Math.round((pixels * scale) / one)));
  return {
    columns: cells(image.width, cell.width, limit.columns),
    rows: cells(image.height, cell.height, limit.rows),
  };
}
