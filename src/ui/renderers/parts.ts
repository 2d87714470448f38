/** The pieces that drawn calls are made of: a heading with a status sign, an output with its notes. */

import { formatDuration, formatElapsed } from "../../format/durations.ts";
import type { CallItem } from "../store/state.ts";
import { adaptSymbols, clip, plainText, trimmedLines, wrap } from "../text/lines.ts";
import { preview } from "../text/preview.ts";
import type { Paint, Theme } from "../theme.ts";
import type { View } from "../view.ts";
import { type CallStatus, numberIn, previewLines } from "./renderer.ts";

export interface Heading {
  readonly status: CallStatus;
  readonly name: string;
  readonly title: string | undefined;
  /** Small facts behind the title. */
  readonly facts: readonly (string | undefined)[];
}

export function heading({ status, name, title, facts }: Heading, { theme, width }: View): string {
  const { dot } = theme.symbols;
  const told = facts.filter((fact) => fact !== undefined && fact !== "").join(` ${dot} `);
  const words = [
    theme.bold(name),
    ...(title ? [firstLine(title)] : []),
    ...(told ? [theme.dim(`${dot} ${told}`)] : []),
  ];
  return clip(`${signOf(status, theme)} ${words.join(" ")}`, width, theme.symbols.more);
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
  const [first = ""] = plainText(text).trim().split("\n");
  return first;
}

/** How long a call took, or takes; what takes no time is not worth a word. */
export function timeFact(call: CallItem, now: number): string | undefined {
  const { startedAt, endedAt, result } = call;
  if (call.isAsked) return "waits for your answer";
  if (result === undefined) return now - startedAt < 1_000 ? undefined : formatElapsed(now - startedAt);
  const ms = numberIn(result.details, "durationMs") ?? (endedAt ?? startedAt) - startedAt;
  return ms < 1 ? undefined : formatDuration(ms);
}

/** What was cut, and where the whole is. */
export function artifactFact({ result }: CallItem): string | undefined {
  const { truncated, artifact } = result?.details ?? {};
  return truncated === true && artifact !== undefined ? `cut; all of it: artifact://${artifact}` : undefined;
}

/** Lines that omp added to the output: about cuts, endings and lost state. */
const NOTE =
  /^(?:\[(?:output cut|image \d|cell \d|interrupted|The |This kernel |the command ended|the shell|omp ended|part of the output|Nothing was run|waiting: |both code|binary output|stderr|timeout |processes that|printed since|background|end of it|\d+ more|… |…|\.\.\.|restarted).*\]?|Command timed out after .*|Exit code: \d+.*|\(no output\)|bash: (?:cancelled|ended by).*)$/;

const GUTTER = "  ";

const IMAGE_NOTE = /^\[image \d+: .*\]$/;

export function isPictureNote(line: string): boolean {
  return IMAGE_NOTE.test(line);
}

export interface OutputOptions {
  readonly isError?: boolean;
  /** Lines of it that a collapsed call shows. */
  readonly room?: number;
}

export function outputLines(
  text: string,
  call: CallItem,
  view: View,
  { isError = false, room = previewLines(call) }: OutputOptions = {},
): string[] {
  const { theme } = view;
  // Where the whole output is stands at the end of a note: notes are never cut.
  const note = (line: string, paint: Paint) =>
    wrap(adaptSymbols(line, theme.symbols), view.width - GUTTER.length).map((part) => paint(part.trimEnd()));
  const lines = trimmedLines(plainText(text)).flatMap((line) => {
    if (IMAGE_NOTE.test(line)) return note(line, theme.dim);
    if (NOTE.test(line)) return note(line, theme.yellow);
    return isError && ERROR_LINE.test(line) ? errorRows(line, view) : [line];
  });
  return preview(lines, view, { keep: "tail", lines: room, gutter: GUTTER, gutterWidth: GUTTER.length });
}

/** The last line of a traceback, and our own one-line errors. */
const ERROR_LINE =
  /^(?:[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Warning|Exit)\b.*|[a-z_]+: .* \([A-Z_]+\))$/;

/** A collapsed call gives the line that matters most more than one row. */
const ERROR_ROWS = 4;

function errorRows(line: string, { theme, width, isExpanded }: View): string[] {
  if (isExpanded) return [theme.red(line)];
  const columns = width - GUTTER.length;
  const rows = wrap(line, columns);
  const rest = rows.splice(ERROR_ROWS - 1).join(" ");
  const last = rest === "" ? [] : [clip(rest, columns, theme.symbols.more)];
  return [...rows, ...last].map((row) => theme.red(row.trimEnd()));
}

export function codeLines(code: string, view: View, lines: number): string[] {
  const { theme } = view;
  const gutter = `  ${theme.dim(theme.symbols.bar)} `;
  return preview(code.replace(/\s+$/, "").split("\n"), view, { keep: "head", lines, gutter, gutterWidth: 4 });
}
