/**
 * A call's output: what was printed, what was shown in between, and omp's notes in a person's words. The tool says which lines of the
 * output are what, and which are the text of a display; the display itself is drawn in their place. Collapsed, the end of what was
 * printed is left, and the newest of what was shown.
 */

import { count, formatSize } from "../../format/numbers.ts";
import { type OutputPiece, outputPieces } from "../../protocol/index.ts";
import { asRecord } from "../../protocol/record.ts";
import { livePieces } from "../store/live-output.ts";
import type { CallItem } from "../store/state.ts";
import { coloredLines } from "../text/colored.ts";
import { adaptSymbols, clip, plainText, trimmedLines, wrap } from "../text/lines.ts";
import { type PreviewOptions, preview } from "../text/preview.ts";
import type { Paint } from "../theme.ts";
import type { View } from "../view.ts";
import { displayLines, displayPicture } from "./displays.ts";
import { numberIn, previewLines, textIn } from "./renderer.ts";

const GUTTER = "  ";
/** More than these were shown by a loop, whose last ones matter most. */
const COLLAPSED_BLOCKS = 4;
const EXPANDED_BLOCKS = 50;
/** The last line of a Python traceback, which any program may have printed. */
const ERROR_LINE = /^[A-Za-z_][\w.]*(?:Error|Exception|Interrupt|Warning|Exit)\b.*$/;
/** A collapsed call gives the line that matters most more than one row. */
const ERROR_ROWS = 4;

interface Part {
  readonly kind: "text" | "display" | "note";
  readonly lines: readonly string[];
}

export interface OutputOptions {
  readonly isError: boolean;
  /** What the cell showed, where a cell printed it. */
  readonly displays?: readonly unknown[];
}

/** What a person reads of a call so far. */
export function piecesOf({ result, live }: CallItem): OutputPiece[] {
  return result === undefined ? livePieces(live) : outputPieces(result, result.cutLines);
}

/** The whole output of a call that is not made of cells. */
export function callOutput(call: CallItem, view: View): string[] {
  const isError = call.result?.isError === true;
  return [...outputLines(piecesOf(call), call, view, { isError }), ...cutLines(call, view)];
}

export function outputLines(
  pieces: readonly OutputPiece[],
  call: CallItem,
  view: View,
  { isError, displays = [] }: OutputOptions,
): string[] {
  const parts = partsOf(pieces, displays, call, view);
  const shownCount = parts.filter(({ kind }) => kind === "display").length;
  const hidden = Math.max(0, shownCount - (view.isExpanded ? EXPANDED_BLOCKS : COLLAPSED_BLOCKS));
  const lines: (readonly string[])[] = [];
  let room = previewLines(call);
  let display = shownCount;
  // From the end: what is left of the room goes to what was printed before.
  for (const part of parts.toReversed()) {
    if (part.kind === "text") {
      const isFirst = part === parts.find(({ kind }) => kind === "text");
      const before = isFirst ? missingLines(call) : 0;
      lines.unshift(
        printedLines(part.lines.join("\n"), view, {
          isError: errorKind(call, isError),
          colored: call.result?.colored ?? "",
          room,
          before,
          ...lineLengths(call),
        }),
      );
      room = Math.max(0, room - part.lines.length);
    } else if (part.kind === "note" || --display >= hidden) lines.unshift(part.lines);
  }
  const { theme } = view;
  const earlier = `  ${theme.symbols.more} ${count(hidden, "earlier display")}${view.isExpanded ? "" : " (Ctrl+O)"}`;
  return [...(hidden > 0 ? [theme.dim(earlier)] : []), ...lines.flat()];
}

/** Lines of output that were printed before those that are kept; 0 where it is not known which they are. */
function missingLines(call: CallItem): number {
  const { result, live } = call;
  const printed = piecesOf(call).filter(({ kind, text }) => kind === "printed" && text.trim() !== "");
  if (printed.length !== 1) return 0;
  const kept = trimmedLines(printed[0]?.text ?? "").length;
  if (result === undefined) return Math.max(0, live.lines - kept);
  const { truncated, totalLines = 0 } = result.details;
  return truncated === true ? Math.max(0, totalLines - kept) : result.cutLines;
}

/** Of lines that the tool itself may have cut; of a single line the length is known all the same. */
function lineLengths({ result }: CallItem): Pick<PreviewOptions, "lengthOf"> {
  const { truncated, totalLines, totalBytes } = result?.details ?? {};
  if (result !== undefined && truncated !== true) return {};
  const only = totalLines === 1 && totalBytes !== undefined ? formatSize(totalBytes) : undefined;
  return { lengthOf: () => only };
}

/** `all`: the output is the one line of an error that has a code. */
function errorKind({ result }: CallItem, isError: boolean): "all" | "traceback" | "no" {
  if (!isError) return "no";
  return textIn(result?.details, "code") === undefined ? "traceback" : "all";
}

function partsOf(
  pieces: readonly OutputPiece[],
  displays: readonly unknown[],
  call: CallItem,
  view: View,
): Part[] {
  const parts: Part[] = [];
  const add = (kind: Part["kind"], lines: readonly string[]) => {
    if (lines.some((line) => kind !== "text" || line.trim() !== "")) parts.push({ kind, lines });
  };
  const left = inOrder(displays);
  for (const piece of pieces) {
    if (piece.kind === "note") {
      const { theme } = view;
      add("note", noteLines(piece.text, view, piece.isQuiet === true ? theme.dim : theme.yellow));
      continue;
    }
    const lines = piece.text.split("\n");
    let at = 0;
    for (const display of left.splice(0)) {
      const line = (numberIn(display, "line") ?? Number.NaN) - piece.start;
      const picture = displayPicture(display, call, view);
      if (line > lines.length) {
        left.push(display);
        continue;
      }
      // One whose text was cut off shows its picture only.
      if (!(line >= at)) {
        add("display", picture);
        continue;
      }
      const drawn = displayLines(display, call, view);
      const end = line + (numberIn(display, "lines") ?? 0);
      add("text", lines.slice(at, drawn === undefined ? end : line));
      at = end;
      add("display", drawn ?? []);
      add("display", picture);
    }
    add("text", lines.slice(at));
  }
  for (const display of left) add("display", displayPicture(display, call, view));
  return parts;
}

/** A display that was changed is drawn where its last text is. */
function inOrder(displays: readonly unknown[]): unknown[] {
  const lineOf = (display: unknown) => numberIn(display, "line") ?? -1;
  return displays.toSorted((one, other) => lineOf(one) - lineOf(other));
}

function printedLines(
  text: string,
  view: View,
  { isError, colored, room, ...kept }: PrintedOptions,
): string[] {
  const { hasColors } = view.theme;
  const painted = colored === "" || !hasColors ? undefined : colorsOf(colored);
  const lines = shownLines(text, hasColors).flatMap((line) => {
    const plain = Bun.stripANSI(line);
    const isProblem = isError === "all" || (isError === "traceback" && ERROR_LINE.test(plain));
    return isProblem ? errorRows(plain, view) : [painted?.get(line) ?? line];
  });
  return preview(lines, view, {
    keep: "tail",
    lines: room,
    gutter: GUTTER,
    paint: view.theme.output,
    ...kept,
  });
}

interface PrintedOptions extends Pick<PreviewOptions, "before" | "lengthOf"> {
  readonly isError: "all" | "traceback" | "no";
  readonly room: number;
  /** What was printed last, as it was printed. */
  readonly colored: string;
}

/** Without empty lines at both ends. */
function shownLines(text: string, hasColors: boolean): string[] {
  if (!hasColors || !text.includes("\x1b[")) return trimmedLines(plainText(text));
  const lines = coloredLines(text);
  const isText = (line: string) => line.trim() !== "";
  return lines.slice(Math.max(0, lines.findIndex(isText)), lines.findLastIndex(isText) + 1);
}

/** Lines by their text. The result has no colours: it is what the model reads. */
function colorsOf(colored: string): Map<string, string> {
  return new Map(coloredLines(colored).map((line) => [Bun.stripANSI(line), line]));
}

function errorRows(line: string, { theme, width, isExpanded }: View): string[] {
  if (isExpanded) return [theme.red(line)];
  const columns = width - GUTTER.length;
  const rows = wrap(line, columns);
  const rest = rows.splice(ERROR_ROWS - 1).join(" ");
  const last = rest === "" ? [] : [clip(rest, columns, theme.symbols.more)];
  return [...rows, ...last].map((row) => theme.red(row.trimEnd()));
}

/** Never cut: what matters most may be at its end, such as where the whole output is. */
function noteLines(note: string, { theme, width }: View, paint: Paint): string[] {
  const lines = wrap(adaptSymbols(plainText(note), theme.symbols), width - GUTTER.length);
  return lines.map((line) => `${GUTTER}${paint(line.trimEnd())}`);
}

/** What is missing from the output, and how to see all of it. */
export function cutLines({ result }: CallItem, view: View): string[] {
  const { truncated, artifact, totalLines = 0, totalBytes = 0, ...details } = result?.details ?? {};
  const { theme } = view;
  const problem = asRecord(details["artifactProblem"]);
  const what = [
    truncated === true ? "truncated" : details["binary"] === true ? "binary output not shown" : undefined,
    truncated === true ? `${count(totalLines, "line")}, ${formatSize(totalBytes)} in total` : undefined,
    artifactWords(artifact, problem),
  ].filter((words) => words !== undefined);
  const hasProblem = problem["kind"] !== undefined;
  const note = what.join(` ${theme.symbols.dot} `);
  return what.length > 1 || hasProblem ? noteLines(note, view, hasProblem ? theme.yellow : theme.dim) : [];
}

function artifactWords(artifact: unknown, problem: Readonly<Record<string, unknown>>): string | undefined {
  if (problem["kind"] === "given-up") return `the full output could not be kept (${problem["code"]})`;
  if (typeof artifact !== "string") return undefined;
  if (problem["kind"] === "full")
    return `artifact://${artifact} has only the first ${formatSize(numberIn(problem, "bytes") ?? 0)}`;
  return "Alt+O for all";
}
