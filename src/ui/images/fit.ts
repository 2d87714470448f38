/** How many cells a picture takes: its own size where there is room, else as large as fits, always in its own proportions. */

import type { ImageSize } from "./decode.ts";

export interface CellBox {
  readonly columns: number;
  readonly rows: number;
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
