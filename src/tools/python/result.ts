/** A call's result: text and pictures for the model, facts for the UI. */

import type { ArtifactStore } from "../../output/artifacts.ts";
import type { CapturedOutput } from "../../output/sink.ts";
import { errorLine, type OutputSegment, type ToolDetails, type ToolResult } from "../../protocol/index.ts";
import { captureDetails, ResultText } from "../result-text.ts";
import type { PlacedDisplay } from "./displays.ts";
import { Pictures } from "./pictures.ts";
import type { Cell, CellsRun } from "./run-cells.ts";

const CANCELLED = errorLine({ operation: "python", issue: "cancelled", code: "CANCELLED" });
/** Before what arrived between two calls. */
export const LATE_HEADING = "[printed since the last call]";

export interface CallOutcome {
  readonly cells: CellsRun;
  readonly captured: CapturedOutput;
  readonly durationMs: number;
  readonly cwd: string;
  readonly timeoutSeconds: number;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  /** Sentences about lost state and failed modules, to be read before the output. */
  readonly remarks: readonly string[];
  /** About a number that was out of range. */
  readonly timeoutRemark: string | undefined;
  readonly stateLost: boolean;
  /** The copy of the kernel that it ran in. */
  readonly branch?: string | undefined;
}

export async function buildResult(outcome: CallOutcome, artifacts: ArtifactStore): Promise<ToolResult> {
  const { captured } = outcome;
  const text = new ResultText();
  for (const remark of outcome.remarks) text.remark(remark);
  const first = text.lineCount;
  const starts = cellStarts(outcome);
  text.print(captured.text.trimEnd(), cellSegments(outcome, starts));
  const pictures = new Pictures(artifacts);
  const cells = [];
  for (const [index, { cell, status, durationMs, record }] of outcome.cells.runs.entries()) {
    const displays = await placeDisplays(
      record.displays,
      { text, first, start: starts[index] ?? 0, tableLines: captured.tableLines ?? 0 },
      pictures,
    );
    cells.push({
      ...(cell.title ? { title: cell.title } : {}),
      status,
      durationMs,
      executionCount: record.executionCount,
      displays,
      ...(record.events.length > 0 ? { events: record.events } : {}),
      ...(record.error ? { error: record.error } : {}),
    });
  }
  text.note(captured.notice);
  const missing = missingParts(outcome.cells);
  addEnding(text, outcome, missing);
  const details: ToolDetails = {
    durationMs: outcome.durationMs,
    cwd: outcome.cwd,
    ...(outcome.branch === undefined ? {} : { branch: outcome.branch }),
    cells,
    ...captureDetails(captured),
    ...(missing.length > 0 ? { truncated: true } : {}),
    ...text.details,
    ...(outcome.timedOut ? { timedOut: true } : {}),
    ...(outcome.timedOut || outcome.cancelled ? { cancelled: true } : {}),
    ...(outcome.cells.runs.some(({ record }) => record.stdinRequested) ? { stdinRequested: true } : {}),
    ...(outcome.stateLost || outcome.cells.death
      ? { kernelRestarted: outcome.cells.death?.restarted ?? true }
      : {}),
  };
  return {
    isError: outcome.cells.runs.some(({ status }) => status !== "ok"),
    output: text.output,
    ...(pictures.parts.length > 0 ? { images: pictures.parts } : {}),
    details,
  };
}

/** Of a call that was aborted before its kernel was there. */
export function notRun(cells: readonly Cell[], cwd: string): ToolResult {
  const facts = { status: "not run", durationMs: 0, executionCount: null, displays: [] };
  const details = {
    durationMs: 0,
    cwd,
    cancelled: true,
    cells: cells.map(({ title }) => ({ ...(title ? { title } : {}), ...facts })),
    segments: [{ lines: 1, note: "" }],
  };
  return { isError: true, output: CANCELLED, details };
}

/** Of a call that waited for other code in the kernel until its own limit. */
export function notRunInTime(cells: readonly Cell[], cwd: string, seconds: number): ToolResult {
  const text = new ResultText();
  text.note(timeoutNote(seconds));
  text.note(
    "[Nothing was run: other code runs in the kernel, of another client or of a cell that did not stop, and was left alone. Try again later, or ask the user.]",
    "nothing was run: other code is running in the kernel",
  );
  const details = { ...notRun(cells, cwd).details, timedOut: true, ...text.details };
  return { isError: true, output: text.output, details };
}

function timeoutNote(seconds: number): string {
  return `Command timed out after ${seconds} seconds`;
}

function addEnding(text: ResultText, outcome: CallOutcome, missing: readonly string[]): void {
  const { runs, death } = outcome.cells;
  const dropped = runs.reduce((sum, { record }) => sum + record.droppedDisplays, 0);
  if (dropped > 0) text.remark(`${dropped} more displays were not kept`);
  for (const reason of missing) text.remark(`part of the output is missing: ${reason}`);
  if (outcome.timedOut) text.note(timeoutNote(outcome.timeoutSeconds));
  if (outcome.cancelled) text.note(CANCELLED);
  text.note(cellNote(outcome.cells));
  if (death?.crashReport) text.print(death.crashReport);
  text.remark(death?.sentence);
  text.remark(outcome.timeoutRemark);
}

function missingParts({ runs }: CellsRun): string[] {
  return [...new Set(runs.flatMap(({ record }) => [...record.cuts]))];
}

/** A person sees it in the headings of the cells. */
function cellNote({ runs }: CellsRun): string | undefined {
  const failed = runs.findIndex(({ status }) => status !== "ok");
  const run = runs[failed];
  if (!run || runs.length === 1) return undefined;
  const name = run.cell.title ? ` (${run.cell.title})` : "";
  const ending = {
    error: "failed",
    interrupted: "was interrupted",
    died: "ended with the kernel",
    "not run": "was not run",
    ok: "",
  };
  const notRun = runs.length - failed - 1;
  const rest = notRun > 0 ? `; the ${notRun === 1 ? "cell" : `${notRun} cells`} after it did not run` : "";
  const kept = failed === 0 || run.status === "died" ? "" : "; earlier cells keep their effect";
  return `[cell ${failed + 1} of ${runs.length}${name} ${ending[run.status]}${rest}${kept}]`;
}

/**
 * In which line of the captured text each cell's output begins. Counted from the end, for the beginning may be cut: such a cell begins
 * before the first line. A screen shows displays in place of their text.
 */
function cellStarts({ cells: { runs }, captured }: CallOutcome): number[] {
  const starts: number[] = [];
  let line = captured.text === "" ? 0 : captured.text.replace(/\n$/, "").split("\n").length;
  for (const { record, status } of runs.toReversed()) {
    line -= record.outputLines;
    starts.unshift(line);
    if (runs.length > 1 && status !== "not run") line -= 1;
  }
  return starts;
}

/** What was printed before the first cell, and then each cell's heading and output. */
function cellSegments(
  { cells: { runs }, captured }: CallOutcome,
  starts: readonly number[],
): OutputSegment[] {
  const isOne = runs.length === 1;
  const bounds: { readonly from: number; readonly segment: Omit<OutputSegment, "lines"> }[] = [];
  const hasHeading = !isOne && runs[0]?.status !== "not run";
  const before = (starts[0] ?? 0) - (hasHeading ? 1 : 0);
  // A cut text has lost its first line.
  if (before > 0 && !captured.truncated)
    bounds.push({ from: 0, segment: { note: "printed since the last call:" } }, { from: 1, segment: {} });
  else if (before > 0) bounds.push({ from: 0, segment: {} });
  for (const [cell, { status }] of runs.entries()) {
    const start = starts[cell] ?? 0;
    if (status === "not run") continue;
    if (!isOne) bounds.push({ from: start - 1, segment: { note: "" } });
    bounds.push({ from: start, segment: isOne ? {} : { cell } });
  }
  const end = captured.text.trimEnd().split("\n").length;
  return bounds.flatMap(({ from, segment }, index) => {
    const to = Math.min(bounds[index + 1]?.from ?? end, end);
    const lines = to - Math.max(0, from);
    return lines > 0 ? [{ lines, ...segment }] : [];
  });
}

/** Where a cell's displays are: the whole output so far, where its printed part begins, and where in that the cell's does. */
interface DisplayPlaces {
  readonly text: ResultText;
  readonly first: number;
  readonly start: number;
  /** The lines above what was left out. */
  readonly tableLines: number;
}

/** The details of a cell's displays. Each picture gets a line in the output, where it was shown. */
async function placeDisplays(
  displays: readonly PlacedDisplay[],
  { text, first, start, tableLines }: DisplayPlaces,
  pictures: Pictures,
): Promise<Record<string, unknown>[]> {
  const details = new Map<PlacedDisplay, Record<string, unknown>>();
  for (const display of displays.toSorted((one, other) => one.line - other.line)) {
    // The lines of the pictures before it are there already.
    const line = first + start + display.line + pictures.count;
    const isCut = start + display.line < tableLines;
    const picture = display.image && (await pictures.add(display.image));
    if (picture) {
      const place = isCut ? first + pictures.count - 1 : line + display.lines;
      text.insertNote(Math.min(place, text.lineCount), picture.note);
    }
    details.set(display, {
      // One whose text was cut off has no position in it.
      ...(isCut ? {} : { line, lines: display.lines }),
      ...textDetails(display),
      ...(picture ? { image: picture.facts } : {}),
    });
  }
  return displays.map((display) => details.get(display) ?? {});
}

function textDetails({ text, format, json, table }: PlacedDisplay): Record<string, unknown> {
  return {
    ...(text ? { format, text: text.slice(0, MAX_DISPLAY_CHARS) } : {}),
    ...(isKeptWhole(json, text) ? { json } : {}),
    ...(table ? { table } : {}),
  };
}

/** A large one is in the output as text, and that in its artifact. */
function isKeptWhole(json: unknown, text: string): boolean {
  return json !== undefined && text.length <= MAX_JSON_CHARS && JSON.stringify(json).length <= MAX_JSON_CHARS;
}

const MAX_JSON_CHARS = 500_000;
/** The whole text is in the output and its artifact; this copy is for a preview. */
const MAX_DISPLAY_CHARS = 30_000;
