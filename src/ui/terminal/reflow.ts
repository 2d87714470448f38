/**
 * Where the live region starts after the window has become narrower. Terminals break the lines that no longer fit and move the cursor with
 * its text or by another rule, or do neither. They do not report where the cursor ended up, so it is calculated.
 */

import { widthOf } from "../text/lines.ts";
import type { Block } from "../view.ts";
import { type Environment, multiplexer } from "./environment.ts";

/**
 * - `exact`: lines are broken, and the cursor stays on its character. Most terminals, and tmux.
 * - `drifting`: lines are broken, and rows that are added below the cursor move it down, too. xterm.js, which is
 *   the terminal of VS Code and of web pages.
 * - `sinking`: lines are broken, and the cursor follows its line; when the lines below it then push everything up, it does not move
 *   along. kitty.
 * - `once scrolled`: as `exact` when something has scrolled off, else as `none`. rxvt-unicode.
 * - `none`: lines are cut. xterm, mlterm, GNU screen, PuTTY, st, the console of Linux.
 */
export type Reflow = "exact" | "drifting" | "sinking" | "once scrolled" | "none";

/** Only what is certain before the terminal has been asked. */
export function reflowOf(env: Environment): Reflow {
  const inside = multiplexer(env);
  if (inside !== undefined) return inside === "screen" ? "none" : "exact";
  if (env["TERM_PROGRAM"] === "vscode") return "drifting";
  const term = env["TERM"] ?? "";
  if (term.startsWith("xterm-kitty")) return "sinking";
  if (term.startsWith("rxvt")) return "once scrolled";
  return /^(?:linux|st|mlterm)(?:-|$)/.test(term) ? "none" : "exact";
}

/** By secondary device attributes: these two values are unique to their terminals. */
export function reflowByAttributes(parameters: readonly number[]): Reflow | undefined {
  const [kind, version] = parameters;
  if (kind !== 0) return undefined;
  if (version === 276) return "drifting";
  return version === 136 ? "none" : undefined;
}

export function reflowByName(version: string): Reflow | undefined {
  if (version.startsWith("kitty(")) return "sinking";
  return version.startsWith("XTerm(") ? "none" : undefined;
}

export interface Narrowing {
  readonly reflow: Reflow;
  readonly columns: number;
  /** Rows by which the window is now too low for what was in it; negative: rows that are still free. */
  readonly missingRows: number;
  /** Whether lines of ours have left the window. */
  readonly hasScrolled: boolean;
  /** The lines above the region in the window. */
  readonly above: () => readonly string[];
}

/** By how many rows the region's first line is farther above the cursor than when it was drawn. */
export function rowsAdded(block: Block, narrowing: Narrowing): number {
  const { lines, cursor } = block;
  const { reflow, columns, missingRows, hasScrolled } = narrowing;
  if (reflow === "none" || (reflow === "once scrolled" && !hasScrolled)) return 0;
  const added = (line: string) => Math.max(0, Math.ceil(widthOf(line) / columns) - 1);
  const above = lines.slice(0, cursor?.y).reduce((sum, line) => sum + added(line), 0);
  if (cursor === undefined) return above;
  const own = lines[cursor.y] ?? "";
  const ownAbove = widthOf(own) > columns ? Math.floor(cursor.x / columns) : 0;
  if (reflow === "exact" || reflow === "once scrolled") return above + ownAbove;
  if (reflow === "sinking") {
    const all = (some: readonly string[]) => some.reduce((sum, line) => sum + added(line), 0);
    const below = all(lines.slice(cursor.y)) - ownAbove + lines.length - 1 - cursor.y;
    const pushed = missingRows + all(narrowing.above()) + all(lines);
    return above + ownAbove + Math.max(0, Math.min(below, pushed));
  }
  return above + addedFromBelow({ lines, y: cursor.y }, narrowing, added);
}

/**
 * As xterm.js does it: from the last line up to the cursor's. The line where the cursor is stays as it is, and every row that was added
 * so far has moved the cursor.
 */
function addedFromBelow(
  { lines, y }: { readonly lines: readonly string[]; readonly y: number },
  { missingRows }: Narrowing,
  added: (line: string) => number,
): number {
  let sum = 0;
  // A window that becomes lower loses the rows below the cursor first.
  for (let at = Math.max(y, lines.length - 1 - Math.max(0, missingRows)); at >= y; at -= 1)
    if (at !== y + sum) sum += added(lines[at] ?? "");
  return sum;
}
