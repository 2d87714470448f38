/**
 * Writes the whole transcript again, when what it shows has changed: expanded or collapsed, cleared.
 *
 * What omp printed and is still on the screen is erased first; what has scrolled off stays, and so does what the shell printed before
 * omp: a terminal cannot erase a part of its scrollback, and erasing all of it would remove more than omp's own lines. Written past Ink,
 * whose layout is too slow for a transcript of thousands of items.
 */

import { useStdout } from "ink";
import { useLayoutEffect, useRef } from "react";
import type { UiState } from "../store/state.ts";
import type { View } from "../view.ts";
import { printedLines } from "../views/item.ts";

export interface RedrawOptions {
  readonly frameHeight: number;
  /** The sequence that removes pictures which erasing the text leaves on the screen. */
  readonly erasePictures: () => string;
}

/** @returns how many lines above the frame omp has printed. */
export function useRedraw(
  state: UiState,
  view: View,
  { frameHeight, erasePictures }: RedrawOptions,
): { readonly current: { readonly lines: number } } {
  const { write } = useStdout();
  const { finished, redraws, redrawn, size } = state;
  /** Lines printed above the frame, and the items that they show. */
  const above = useRef({ lines: 0, items: 0 });
  const done = useRef(redraws);

  useLayoutEffect(() => {
    if (done.current === redraws) {
      for (const item of finished.slice(above.current.items))
        above.current.lines += printedLines(item, view).length;
      above.current.items = finished.length;
      return;
    }
    done.current = redraws;
    // What ended at the same moment has just been written by <Static>, above the frame.
    const fresh = finished.slice(redrawn).reduce((sum, item) => sum + printedLines(item, view).length, 0);
    const total = above.current.lines + fresh;
    const onScreen = Math.max(0, Math.min(total, size.rows - frameHeight - 1));
    // A part that has scrolled off is then there twice: a line marks where the new copy starts.
    const hasScrolledOff = total > onScreen;
    const lines = [
      ...(hasScrolledOff ? [copyHeading(view), ""] : []),
      ...finished.flatMap((item) => printedLines(item, view)),
    ];
    above.current = { lines: lines.length, items: finished.length };
    write(`${erasePictures()}${eraseRows(onScreen)}${lines.map((line) => `${line}\n`).join("")}`);
  }, [redraws, redrawn, finished, view, size.rows, frameHeight, erasePictures, write]);
  return above;
}

/** The first line on its own: tmux keeps a screen that is erased as a whole in its scrollback. */
function eraseRows(rows: number): string {
  return rows > 0 ? `\x1b[${rows}A\r\x1b[2K\x1b[1B\x1b[J\x1b[1A` : "\r\x1b[J";
}

function copyHeading({ theme, width, isExpanded }: View): string {
  const words = ` from the start, ${isExpanded ? "expanded" : "collapsed"} `;
  return theme.dim(`${theme.symbols.rule.repeat(2)}${words}`.padEnd(width, theme.symbols.rule));
}
