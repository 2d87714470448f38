/** The lines around the prompt: queued messages, and the facts of the session. */

import { formatElapsed } from "../../format/durations.ts";
import { count, formatDollars, formatTokens } from "../../format/numbers.ts";
import type { Facts, Kernel } from "../store/state.ts";
import { clip, widthOf } from "../text/lines.ts";
import type { View } from "../view.ts";

/** @param isAsking a question is open, which has Up. */
export function queuedLines(
  queued: readonly string[],
  { theme, width }: View,
  { maxRows, isAsking }: { readonly maxRows: number; readonly isAsking: boolean },
): string[] {
  const shown = queued.slice(0, Math.max(1, maxRows - 1)).map((text) => {
    const line = text.replace(/\s+/g, " ");
    return theme.dim(clip(`  ${theme.symbols.waiting} ${line}`, width, theme.symbols.more));
  });
  if (queued.length === 0) return [];
  const rest = queued.length - shown.length;
  const key = isAsking ? "Alt+Up" : "Up";
  return [
    ...shown,
    theme.dim(clip(`  ${rest > 0 ? `${rest} more; ` : ""}${key} to take back`, width, theme.symbols.more)),
  ];
}

/** Where it works on the left, with what goes on there; the model and what it takes on the right. */
export function statusLine(facts: Facts, hint: string | undefined, view: View): string {
  const { theme, width, now } = view;
  const { dot, more } = theme.symbols;
  if (hint !== undefined) return theme.yellow(clip(hint, width, more));
  const { kernel, backgroundShells, backgroundAgents, costUsd } = facts;
  const left: Part[] = [
    { text: facts.cwd, rank: 2, isPath: true },
    { text: facts.branch, rank: 3 },
    { text: kernel.interpreter && kernel.environment, rank: 1 },
    { text: kernelPart(kernel, now), rank: 9 },
    { text: kernel.branch && `$ in ${kernel.branch}`, rank: 9 },
    { text: backgroundShells === 0 ? undefined : count(backgroundShells, "background shell"), rank: 5 },
    { text: backgroundAgents === 0 ? undefined : count(backgroundAgents, "subagent"), rank: 5 },
    { text: facts.sandbox && `sandbox ${facts.sandbox}`, rank: 6 },
    { text: facts.approval && `approval ${facts.approval}`, rank: 6 },
  ];
  const right: Part[] = [
    { text: facts.model ?? "starting", rank: 8 },
    { text: facts.effort && `effort ${facts.effort}`, rank: 4 },
    { text: contextPart(facts), rank: 7 },
    { text: costUsd ? formatDollars(costUsd) : undefined, rank: 4 },
  ];
  return theme.dim(clip(fitParts(left, right, { width, separator: ` ${dot} `, more }), width, more));
}

interface Part {
  /** Undefined when there is nothing to say. */
  readonly text: string | undefined;
  /** The part with the lowest is left out first. */
  readonly rank: number;
  /** Is shortened before it is left out, keeping its end. */
  readonly isPath?: boolean;
}

const SIDES_GAP = 2;
const LEAST_PATH = 8;

function fitParts(
  left: readonly Part[],
  right: readonly Part[],
  line: { readonly width: number; readonly separator: string; readonly more: string },
): string {
  const { width, separator, more } = line;
  const join = (parts: readonly Part[]) =>
    parts.flatMap(({ text }) => (text === undefined || text === "" ? [] : [text])).join(separator);
  const [start, end] = [join(left), join(right)];
  const gap = width - widthOf(start) - widthOf(end);
  if (start === "" || gap >= SIDES_GAP) return start + " ".repeat(start === "" ? 0 : gap) + end;
  const path = left.find(({ isPath, text }) => isPath === true && text !== undefined);
  const room = widthOf(path?.text ?? "") + gap - SIDES_GAP;
  if (path?.text !== undefined && room >= LEAST_PATH) {
    const text = `${more}${path.text.slice(more.length - room)}`;
    return fitParts([{ ...path, text, isPath: false }, ...left.filter((part) => part !== path)], right, line);
  }
  const least = Math.min(...[...left, ...right].map(({ rank }) => rank));
  const isKept = ({ rank }: Part) => rank > least;
  const kept = left.length + right.length > 1;
  return kept ? fitParts(left.filter(isKept), right.filter(isKept), line) : end;
}

function contextPart({ usedTokens, contextTokens }: Facts): string | undefined {
  if (usedTokens === 0 || contextTokens === 0) return undefined;
  return `${formatTokens(usedTokens)} tokens, ${Math.round((100 * usedTokens) / contextTokens)} %`;
}

/** Nothing about a kernel that only waits, unless code has run in it: then it has variables that can be lost. */
function kernelPart({ state, since, interpreter, progress, cells }: Kernel, now: number): string | undefined {
  const python = interpreter ?? "Python";
  switch (state) {
    case "unavailable":
      return "no Python";
    case "none":
      return interpreter && `${interpreter} not started`;
    case "starting":
      // What is being made names its own Python.
      return `${progress ?? `${python} ${state}`}${time(now - since)}`;
    case "busy":
      return `${python} ${state}${time(now - since)}`;
    case "idle":
      return cells === 0 ? undefined : `${python} [${cells}]`;
    case "dead":
      return `${python} ${state}`;
  }
}

function time(ms: number): string {
  return ms < 1_000 ? "" : ` ${formatElapsed(ms)}`;
}
