/**
 * Writes the whole transcript again, when what it shows has changed: expanded or collapsed, cleared.
 *
 * What omp has printed and is still on the screen is erased first; what has scrolled off stays where it is, and so does what the
 * shell had printed before: a terminal cannot erase a part of its scrollback, and erasing all of it would take more than is ours.
 * Written past Ink: a transcript of thousands of items has no place in a layout.
 */

import { useStdout } from "ink";
import { useLayoutEffect, useRef } from "react";
import type { UiState } from "../store/state.ts";
import type { View } from "../view.ts";
import { printed } from "../views/printed.ts";

export interface RedrawOptions {
  readonly frameHeight: number;
  /** What takes pictures off the screen that erasing its text leaves there. */
  readonly erasePictures: () => string;
}

/** @returns how many lines above the frame are ours. */
export function useRedraw(
  state: UiState,
  view: View,
  { frameHeight, erasePictures }: RedrawOptions,
): { readonly current: { readonly lines: number } } {
  const { write } = useStdout();
  const { finished, redraws, redrawn, size } = state;
  /** Lines above the frame that are ours, and the items that they show. */
  const above = useRef({ lines: 0, items: 0 });
  const done = useRef(redraws);

  useLayoutEffect(() => {
    if (done.current === redraws) {
      for (const item of finished.slice(above.current.items))
        above.current.lines += printed(item, view).length;
      above.current.items = finished.length;
      return;
    }
    done.current = redraws;
    // What ended in the same moment has just been written by <Static>, above the frame.
    const fresh = finished.slice(redrawn).reduce((sum, item) => sum + printed(item, view).length, 0);
    const printedLines = above.current.lines + fresh;
    const onScreen = Math.max(0, Math.min(printedLines, size.rows - frameHeight - 1));
    // A part that has scrolled off is there twice then: it is said where the new one begins.
    const hasScrolledOff = printedLines > onScreen;
    const lines = [
      ...(hasScrolledOff ? [beginning(view), ""] : []),
      ...finished.flatMap((item) => printed(item, view)),
    ];
    above.current = { lines: lines.length, items: finished.length };
    write(`${erasePictures()}${erased(onScreen)}${lines.map((line) => `${line}\n`).join("")}`);
  }, [redraws, redrawn, finished, view, size.rows, frameHeight, erasePictures, write]);
  return above;
}

/** The first line on its own: tmux keeps a screen that is erased as a whole in its scrollback. */
function erased(rows: number): string {
  return rows > 0 ? `\x1b[${rows}A\r\x1b[2K\x1b[1B\x1b[J\x1b[1A` : "\r\x1b[J";
}

function beginning({ theme, width, isExpanded }: View): string {
  const words = ` from the start, ${isExpanded ? "expanded" : "collapsed"} `;
  return theme.dim(`${theme.symbols.rule.repeat(2)}${words}`.padEnd(width, theme.symbols.rule));
}
