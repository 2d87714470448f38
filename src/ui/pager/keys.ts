/** The pager's keys: those of `less`. */

import type { Direction } from "./search.ts";
import type { PagerAction } from "./view.ts";

/** Ctrl+C does more than close the pager. */
export type PagerExit = "key" | "interrupt";

export type PagerKey =
  | PagerAction
  | { readonly kind: "quit"; readonly by: PagerExit }
  | { readonly kind: "ask"; readonly direction: Direction };

/** Home and End are listed as xterm sends them, and as tmux and the Linux console do. */
const bindings: readonly (readonly [PagerKey, ...(readonly string[])])[] = [
  [{ kind: "quit", by: "key" }, "q", "\x1b", "\x0f"],
  [{ kind: "quit", by: "interrupt" }, "\x03"],
  [{ kind: "lines", by: 1 }, "j", "\r", "\x1b[B", "\x05", "\x0e"],
  [{ kind: "lines", by: -1 }, "k", "\x1b[A", "\x19", "\x10"],
  [{ kind: "pages", by: 1 }, " ", "f", "\x06", "\x1b[6~"],
  [{ kind: "pages", by: -1 }, "b", "\x02", "\x1b[5~"],
  [{ kind: "pages", by: 0.5 }, "d", "\x04"],
  [{ kind: "pages", by: -0.5 }, "u", "\x15"],
  [{ kind: "start" }, "g", "<", "\x1b[H", "\x1b[1~"],
  [{ kind: "end" }, "G", ">", "\x1b[F", "\x1b[4~"],
  [{ kind: "follow", isOn: true }, "F"],
  [{ kind: "columns", by: 20 }, "\x1b[C"],
  [{ kind: "columns", by: -20 }, "\x1b[D"],
  [{ kind: "next match" }, "n"],
  [{ kind: "previous match" }, "N"],
  [{ kind: "ask", direction: "forward" }, "/"],
  [{ kind: "ask", direction: "backward" }, "?"],
];

const actions = new Map(bindings.flatMap(([action, ...keys]) => keys.map((key) => [key, action] as const)));

/** @param count the number typed before it: `30G` is line 30, `50%` the middle, `10j` ten lines. */
export function pagerKey(key: string, count?: number): PagerKey | undefined {
  const action = actions.get(key);
  if (count === undefined) return action;
  if (key === "%" || key === "p") return { kind: "percent", percent: count };
  if (action?.kind === "start" || action?.kind === "end") return { kind: "line", line: Math.max(1, count) };
  return action?.kind === "lines" ? { kind: "lines", by: action.by * count } : action;
}

/** Whether it is a number to put before a key; no file has more lines than its digits can say. */
export function isCount(text: string): boolean {
  return /^\d{1,12}$/.test(text);
}

/** A chunk of input as single keys: sequences stay whole. */
export function pagerKeys(chunk: string): string[] {
  return chunk.match(/\p{Cc}\[[0-9;]*[~A-Za-z]|[\s\S]/gu) ?? [];
}
