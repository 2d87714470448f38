/** The pager's keys: those of `less`. */

import type { PagerAction } from "./view.ts";

/** Ctrl+C means more than leaving the pager. */
export type PagerExit = "key" | "interrupt";

export type PagerKey =
  | PagerAction
  | { readonly kind: "quit"; readonly by: PagerExit }
  | { readonly kind: "ask"; readonly sign: "/" | "?" };

const keys: Readonly<Record<string, PagerKey>> = {
  q: { kind: "quit", by: "key" },
  "\x03": { kind: "quit", by: "interrupt" },
  "\x1b": { kind: "quit", by: "key" },
  j: { kind: "lines", by: 1 },
  "\r": { kind: "lines", by: 1 },
  "\x1b[B": { kind: "lines", by: 1 },
  "\x05": { kind: "lines", by: 1 },
  "\x0e": { kind: "lines", by: 1 },
  k: { kind: "lines", by: -1 },
  "\x1b[A": { kind: "lines", by: -1 },
  "\x19": { kind: "lines", by: -1 },
  "\x10": { kind: "lines", by: -1 },
  " ": { kind: "pages", by: 1 },
  f: { kind: "pages", by: 1 },
  "\x06": { kind: "pages", by: 1 },
  "\x1b[6~": { kind: "pages", by: 1 },
  b: { kind: "pages", by: -1 },
  "\x02": { kind: "pages", by: -1 },
  "\x1b[5~": { kind: "pages", by: -1 },
  d: { kind: "pages", by: 0.5 },
  "\x04": { kind: "pages", by: 0.5 },
  u: { kind: "pages", by: -0.5 },
  "\x15": { kind: "pages", by: -0.5 },
  g: { kind: "start" },
  "<": { kind: "start" },
  // As xterm says it, and as tmux and the console of Linux do.
  "\x1b[H": { kind: "start" },
  "\x1b[1~": { kind: "start" },
  G: { kind: "end" },
  ">": { kind: "end" },
  "\x1b[F": { kind: "end" },
  "\x1b[4~": { kind: "end" },
  F: { kind: "follow", isOn: true },
  "\x1b[C": { kind: "columns", by: 20 },
  "\x1b[D": { kind: "columns", by: -20 },
  n: { kind: "next match" },
  N: { kind: "previous match" },
  "/": { kind: "ask", sign: "/" },
  "?": { kind: "ask", sign: "?" },
};

/** @param count the number that was typed before it: `30G` is line 30, `50%` the middle, `10j` ten lines. */
export function pagerKey(key: string, count?: number): PagerKey | undefined {
  const action = keys[key];
  if (count === undefined) return action;
  if (key === "%" || key === "p") return { kind: "percent", percent: count };
  if (action?.kind === "start" || action?.kind === "end") return { kind: "line", line: Math.max(1, count) };
  return action?.kind === "lines" ? { kind: "lines", by: action.by * count } : action;
}

/** Whether it is the number that may stand before a key; no file has more lines than its digits can say. */
export function isCount(text: string): boolean {
  return /^\d{1,12}$/.test(text);
}

/** A chunk of input as single keys: sequences stay whole. */
export function pagerKeys(chunk: string): string[] {
  return chunk.match(/\p{Cc}\[[0-9;]*[~A-Za-z]|[\s\S]/gu) ?? [];
}
