/** A call's result: text and pictures for the model, facts for the UI. */

import type { ArtifactStore } from "../../output/artifacts.ts";
import type { CapturedOutput } from "../../output/sink.ts";
import type { ImagePart, ToolDetails, ToolResult } from "../../protocol/index.ts";
import type { PlacedDisplay } from "./cell-record.ts";
import type { DisplayImage } from "./displays.ts";
import { type ImageResult, imageForModel } from "./images.ts";
import type { Cell, CellsRun } from "./run-cells.ts";

/** More pictures than this in one result are more than a model looks at; the rest stay on disk. */
const MAX_IMAGES = 8;
const INTERRUPTED = "[interrupted by the user]";

export interface CallOutcome {
  readonly cells: CellsRun;
  readonly captured: CapturedOutput;
  readonly durationMs: number;
  readonly cwd: string;
  readonly timeoutSeconds: number;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  /** Lines about lost state, failed modules and clamped input, to be read before the output. */
  readonly notices: readonly string[];
  readonly stateLost: boolean;
}

export async function buildResult(outcome: CallOutcome, artifacts: ArtifactStore): Promise<ToolResult> {
  const pictures = new Pictures(artifacts);
  const cells = [];
  const { first, starts } = cellStarts(outcome);
  for (const [index, { cell, status, durationMs, record }] of outcome.cells.runs.entries()) {
    const displays = [];
    for (const display of record.displays) {
      const line = (starts[index] ?? 0) + display.line;
      // One whose text was cut off has no place in it.
      const place = line >= first ? { line, lines: display.lines } : {};
      displays.push({ ...place, ...(await displayDetails(display, pictures)) });
    }
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
  const { captured } = outcome;
  const details: ToolDetails = {
    durationMs: outcome.durationMs,
    cwd: outcome.cwd,
    cells,
    truncated: captured.truncated || cutNotes(outcome.cells).length > 0,
    totalBytes: captured.totalBytes,
    totalLines: captured.totalLines,
    ...(captured.artifact ? { artifact: captured.artifact } : {}),
    ...(outcome.timedOut ? { timedOut: true } : {}),
    ...(outcome.timedOut || outcome.cancelled ? { cancelled: true } : {}),
    ...(outcome.cells.runs.some(({ record }) => record.stdinRequested) ? { stdinRequested: true } : {}),
    ...(outcome.stateLost || outcome.cells.death
      ? { kernelRestarted: outcome.cells.death?.restarted ?? true }
      : {}),
  };
  return {
    isError: outcome.cells.runs.some(({ status }) => status !== "ok"),
    output: resultText(outcome, pictures.notes),
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
  };
  return { isError: true, output: INTERRUPTED, details };
}

/** Of a call that waited for other code in the kernel until its own limit. */
export function notRunInTime(cells: readonly Cell[], cwd: string, seconds: number): ToolResult {
  const { details } = notRun(cells, cwd);
  const output = `Command timed out after ${seconds} seconds\n${OCCUPIED}`;
  return { isError: true, output, details: { ...details, timedOut: true } };
}

const OCCUPIED =
  "[Nothing was run: other code runs in the kernel, of another client or of a cell that did not stop, and was left alone. Try again later, or ask the user.]";

function resultText(outcome: CallOutcome, pictureNotes: readonly string[]): string {
  const { captured, cells } = outcome;
  const text = captured.text.replace(/\s+$/, "");
  const parts = [
    ...outcome.notices,
    ...(captured.notice ? [captured.notice] : []),
    ...(text ? [text] : []),
    ...pictureNotes,
    ...droppedNote(cells),
    ...cutNotes(cells),
    ...(outcome.timedOut ? [`Command timed out after ${outcome.timeoutSeconds} seconds`] : []),
    ...(outcome.cancelled ? [INTERRUPTED] : []),
    ...cellNotes(cells),
    ...(cells.death?.crashReport ? [cells.death.crashReport] : []),
    ...(cells.death ? [`[${cells.death.sentence}]`] : []),
  ];
  return parts.length > 0 ? parts.join("\n") : "(no output)";
}

function cutNotes({ runs }: CellsRun): string[] {
  const reasons = new Set(runs.flatMap(({ record }) => [...record.cuts]));
  return [...reasons].map((reason) => `[part of the output is missing: ${reason}]`);
}

function droppedNote({ runs }: CellsRun): string[] {
  const dropped = runs.reduce((sum, { record }) => sum + record.droppedDisplays, 0);
  return dropped > 0 ? [`[${dropped} more displays were not kept]`] : [];
}

function cellNotes({ runs }: CellsRun): string[] {
  const failed = runs.findIndex(({ status }) => status !== "ok");
  const run = runs[failed];
  if (!run || runs.length === 1) return [];
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
  const kept = run.status === "died" ? "" : "; earlier cells keep their effect";
  return [`[cell ${failed + 1} of ${runs.length}${name} ${ending[run.status]}${rest}${kept}]`];
}

/**
 * In which line of the result's text each cell's output begins. Counted from the end of what was captured, for its beginning may be cut:
 * such a cell begins before the first line. A screen shows displays in place of their text.
 */
function cellStarts({ cells: { runs }, captured, ...outcome }: CallOutcome): CellPlaces {
  const before = [...outcome.notices, ...(captured.notice ? [captured.notice] : [])];
  const first = before.reduce((sum, notice) => sum + notice.split("\n").length, 0);
  const starts: number[] = [];
  let line = first + captured.text.replace(/\n$/, "").split("\n").length;
  if (captured.text === "") line = first;
  for (const { record, status } of runs.toReversed()) {
    line -= record.outputLines;
    starts.unshift(line);
    if (runs.length > 1 && status !== "not run") line -= 1;
  }
  return { first, starts };
}

interface CellPlaces {
  /** The first line of what was captured. */
  readonly first: number;
  readonly starts: readonly number[];
}

async function displayDetails(display: PlacedDisplay, pictures: Pictures): Promise<Record<string, unknown>> {
  const { text, format, json, table, image } = display;
  return {
    ...(text ? { format, text: text.slice(0, MAX_DISPLAY_CHARS) } : {}),
    ...(isKeptWhole(json, text) ? { json } : {}),
    ...(table ? { table } : {}),
    ...(image ? { image: await pictures.add(image) } : {}),
  };
}

/** A large one is in the output as text, and that in its artifact. */
function isKeptWhole(json: unknown, text: string): boolean {
  return json !== undefined && text.length <= MAX_JSON_CHARS && JSON.stringify(json).length <= MAX_JSON_CHARS;
}

const MAX_JSON_CHARS = 500_000;
/** The whole text is in the output and its artifact; this copy is for a preview. */
const MAX_DISPLAY_CHARS = 30_000;

/** Collects the pictures of a call: originals on disk, scaled ones for the model, a line of text for each. */
class Pictures {
  readonly parts: ImagePart[] = [];
  readonly notes: string[] = [];
  readonly #artifacts: ArtifactStore;
  #count = 0;

  constructor(artifacts: ArtifactStore) {
    this.#artifacts = artifacts;
  }

  async add(image: DisplayImage): Promise<Record<string, unknown>> {
    this.#count += 1;
    const artifact = this.#keep(image);
    const result: ImageResult =
      this.parts.length < MAX_IMAGES
        ? await imageForModel(image)
        : { problem: `not shown: only the first ${MAX_IMAGES} of a call are` };
    const where = artifact ? `; original: artifact://${artifact}` : "";
    const facts = {
      mediaType: image.mediaType,
      bytes: image.bytes.byteLength,
      ...(artifact ? { artifact } : {}),
    };
    if ("problem" in result) {
      this.notes.push(`[image ${this.#count}: ${image.mediaType}, ${result.problem}${where}]`);
      return facts;
    }
    const { part, width, height } = result.image;
    this.parts.push(part);
    this.notes.push(`[image ${this.#count}: ${part.mediaType}, ${width}×${height}${where}]`);
    return { ...facts, width, height, part: this.parts.length - 1 };
  }

  #keep(image: DisplayImage): string {
    const writer = this.#artifacts.create();
    writer.write(image.bytes);
    writer.close();
    return writer.id;
  }
}
