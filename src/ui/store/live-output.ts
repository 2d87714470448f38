/** The end of a call's output while it runs: bounded, however much there is. */

import type { OutputPiece } from "../../protocol/index.ts";
import type { LiveOutput } from "./state.ts";

/** More than any screen shows of a call that still runs. */
const MAX_TAIL_CHARS = 16_000;

export const noOutput: LiveOutput = { tail: "", chars: 0, lines: 0, cells: [] };

export function addOutput(live: LiveOutput, text: string): LiveOutput {
  const recent = text.length > MAX_TAIL_CHARS ? text.slice(-MAX_TAIL_CHARS) : text;
  // Cut only when twice as long: not for every chunk.
  const joined = live.tail + recent;
  const tail = joined.length > 2 * MAX_TAIL_CHARS ? joined.slice(-MAX_TAIL_CHARS) : joined;
  return { ...live, tail, chars: live.chars + text.length, lines: live.lines + lineFeeds(text) };
}

function lineFeeds(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

export function startCell(live: LiveOutput, number: number, startedAt: number): LiveOutput {
  return { ...live, cells: [...live.cells, { number, startedAt, from: live.chars }] };
}

/** Characters from one count to another, as far as they are still there. */
export function liveText({ tail, chars }: LiveOutput, from: number, to = chars): string {
  const tailStart = chars - tail.length;
  return tail.slice(Math.max(0, from - tailStart), Math.max(0, to - tailStart));
}

/** What was printed before the first cell, and by each that has started. */
export function livePieces(live: LiveOutput): OutputPiece[] {
  const parts = [{ number: undefined, from: 0 }, ...live.cells];
  return parts.map(({ number, from }, index) => ({
    kind: "printed",
    text: liveText(live, from, parts[index + 1]?.from),
    start: 0,
    cell: number === undefined ? undefined : number - 1,
  }));
}
