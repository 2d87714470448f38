/**
 * Where the live region begins after the window has become narrower. Terminals break the lines that no longer fit, and move the cursor
 * with its text, or by another rule, or do nothing of the kind. Nobody says where the cursor was put, so it is reckoned.
 */

import { widthOf } from "../text/lines.ts";
import type { Block } from "../views/prompt.ts";
import { type Environment, multiplexer } from "./environment.ts";

/**
 * - `exact`: lines are broken, and the cursor stays on its sign. Most terminals, and tmux.
 * - `drifting`: lines are broken, and rows that are added below the cursor move it down, too. xterm.js, which is
 *   the terminal of VS Code and of web pages.
 * - `none`: lines are cut. xterm, GNU screen, PuTTY, st, the console of Linux.
 */
export type Reflow = "exact" | "drifting" | "none";

/** Only what is sure before the terminal has been asked. */
export function reflowOf(env: Environment): Reflow {
  const behind = multiplexer(env);
  if (behind !== undefined) return behind === "screen" ? "none" : "exact";
  if (env["TERM_PROGRAM"] === "vscode") return "drifting";
  return /^(?:linux|st)(?:-|$)/.test(env["TERM"] ?? "") ? "none" : "exact";
}

/** Secondary device attributes: the answers of these two are theirs alone. */
export function reflowByAttributes(parameters: readonly number[]): Reflow | undefined {
  const [kind, version] = parameters;
  if (kind !== 0) return undefined;
  if (version === 276) return "drifting";
  return version === 136 ? "none" : undefined;
}

export interface Narrowing {
  readonly reflow: Reflow;
  readonly columns: number;
  /** Lines at the end of the region that are gone, for the window became lower at the same time. */
  readonly lostRows: number;
}

/** By how many rows the region's first line is farther above the cursor than when it was drawn. */
export function rowsAdded(block: Block, narrowing: Narrowing): number {
  const { lines, cursor } = block;
  const { reflow, columns } = narrowing;
  if (reflow === "none") return 0;
  const added = (line: string) => Math.max(0, Math.ceil(widthOf(line) / columns) - 1);
  const above = lines.slice(0, cursor?.y).reduce((sum, line) => sum + added(line), 0);
  if (cursor === undefined) return above;
  const own = lines[cursor.y] ?? "";
  if (reflow === "exact") return above + (widthOf(own) > columns ? Math.floor(cursor.x / columns) : 0);
  return above + addedFromBelow({ lines, y: cursor.y }, narrowing, added);
}

/**
 * As xterm.js does it: from the last line up to the cursor's. The line where the cursor is stays as it is, and every row that was added
 * so far has moved the cursor.
 */
function addedFromBelow(
  { lines, y }: { readonly lines: readonly string[]; readonly y: number },
  { lostRows }: Narrowing,
  added: (line: string) => number,
): number {
  let sum = 0;
  // A window that becomes lower gives up the rows below the cursor first.
  for (let at = Math.max(y, lines.length - 1 - lostRows); at >= y; at -= 1)
    if (at !== y + sum) sum += added(lines[at] ?? "");
  return sum;
}
