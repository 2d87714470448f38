/** The end of a call's output while it runs: bounded, whatever comes. */

import type { LiveOutput } from "./state.ts";

/** More than any screen shows of a call that still runs. */
const MAX_TAIL_CHARS = 16_000;

export const noOutput: LiveOutput = { tail: "", bytes: 0, part: 0, partStartedAt: 0 };

/** `[2/3] title`: how the python tool begins each of several cells. */
const PART_HEADING = /^\[(\d+)\/\d+\]/gm;

export function addOutput(live: LiveOutput, text: string, at: number): LiveOutput {
  const recent = text.length > MAX_TAIL_CHARS ? text.slice(-MAX_TAIL_CHARS) : text;
  // Cut only when twice as long: not for every chunk.
  const joined = live.tail + recent;
  const tail = joined.length > 2 * MAX_TAIL_CHARS ? joined.slice(-MAX_TAIL_CHARS) : joined;
  const part = nextPart(live.part, recent);
  return {
    tail,
    bytes: live.bytes + text.length,
    part,
    partStartedAt: part === live.part ? live.partStartedAt : at,
  };
}

/** A heading counts only in its turn: a program may print such lines, too. */
function nextPart(part: number, text: string): number {
  if (!text.includes("[")) return part;
  let now = part;
  for (const match of text.matchAll(PART_HEADING)) if (Number(match[1]) === now + 1) now += 1;
  return now;
}
