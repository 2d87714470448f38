/** What drawn calls have in common: a heading with a status symbol, facts, code. */

import { formatDuration, formatElapsed } from "../../format/durations.ts";
import type { CallItem } from "../store/state.ts";
import { clip } from "../text/lines.ts";
import { preview } from "../text/preview.ts";
import { sourceText } from "../text/source-text.ts";
import type { Paint, Theme } from "../theme.ts";
import type { View } from "../view.ts";
import { type CallStatus, numberIn, statusOf, textIn } from "./renderer.ts";

export interface Heading {
  readonly status: CallStatus;
  readonly name: string;
  readonly title: string | undefined;
  /** Small facts after the title. */
  readonly facts: readonly (string | undefined)[];
}

export function heading({ status, name, title, facts }: Heading, { theme, width }: View): string {
  const { dot } = theme.symbols;
  const shown = facts.filter((fact) => fact !== undefined && fact !== "").join(` ${dot} `);
  const words = [
    theme.bold(name),
    ...(title ? [firstLine(title)] : []),
    ...(shown ? [theme.dim(`${dot} ${shown}`)] : []),
  ];
  return clip(`${signOf(status, theme)} ${words.join(" ")}`, width, theme.symbols.more);
}

/** The heading of a whole call, which ends with its time. */
export function callHeading(
  call: CallItem,
  { title, facts }: Pick<Heading, "title" | "facts">,
  view: View,
): string {
  const all = [...facts, timeFact(call, view.now)];
  return heading({ status: statusOf(call), name: call.name, title, facts: all }, view);
}

function signOf(status: CallStatus, theme: Theme): string {
  const paints: Record<CallStatus, Paint> = {
    waiting: theme.dim,
    running: theme.yellow,
    ok: theme.green,
    failed: theme.red,
    stopped: theme.yellow,
  };
  return paints[status](theme.symbols[status]);
}

function firstLine(text: string): string {
  const [first = ""] = sourceText(text).trim().split("\n");
  return first;
}

/** How long a call took, or takes. */
function timeFact(call: CallItem, now: number): string | undefined {
  const { startedAt, endedAt, result } = call;
  if (call.isAsked) return "needs approval";
  if (result === undefined) return timeWords(now - startedAt, { isOver: false });
  const ms = numberIn(result.details, "durationMs") ?? (endedAt ?? startedAt) - startedAt;
  return timeWords(ms, { isOver: true });
}

/** What takes less than a second is not worth a word. */
export function timeWords(ms: number, { isOver }: { readonly isOver: boolean }): string | undefined {
  if (ms < 1_000) return undefined;
  return isOver ? formatDuration(ms) : formatElapsed(ms);
}

/**
 * How a command or a script ended: `exit code 4`, `SIGTERM`. A signal that stopped it for a limit or the user was omp's own. That the
 * user interrupted the model's call is said once, below all of them.
 */
export function endingFacts({ by, result }: CallItem): (string | undefined)[] {
  const { details } = result ?? {};
  if (details?.timedOut === true) return ["timed out"];
  if (details?.cancelled === true) return by === "model" ? [] : ["interrupted"];
  const exitCode = numberIn(details, "exitCode");
  return [exitCode ? `exit code ${exitCode}` : undefined, textIn(details, "signal")];
}

export function codeLines(code: string, view: View, lines: number): string[] {
  const { theme } = view;
  const gutter = `  ${theme.dim(theme.symbols.bar)} `;
  return preview(code.replace(/\s+$/, "").split("\n"), view, { keep: "head", lines, gutter });
}
