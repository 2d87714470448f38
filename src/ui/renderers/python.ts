/** `python`: its cells, each with its code, how it stands and what it printed. */

import { formatDuration, formatElapsed } from "../../format/durations.ts";
import { asRecord } from "../../protocol/record.ts";
import { colorCode } from "../markdown/code-colors.ts";
import type { CallItem } from "../store/state.ts";
import { plainText } from "../text/lines.ts";
import { preview } from "../text/preview.ts";
import type { View } from "../view.ts";
import { cellOutputLines } from "./cell-output.ts";
import { artifactFact, codeLines, heading, outputLines } from "./parts.ts";
import { type CallStatus, numberIn, statusOf, textIn } from "./renderer.ts";

const CODE_LINES = 12;
const EVENT_LINES = 10;

interface Cell {
  readonly code: string;
  readonly title: string | undefined;
}

export function renderPython(call: CallItem, view: View): string[] {
  const cells = cellsOf(call.input);
  const outputs = splitOutput(call.result?.output ?? call.live.tail, cells.length);
  const lines = outputs.before.trim() === "" ? [] : outputLines(outputs.before, call, view);
  for (const [index, cell] of cells.entries()) {
    const status = cellStatus(call, index, cells.length);
    lines.push(cellHeading(call, cell, index, cells.length, status, view));
    lines.push(...codeLines(colorCode(plainText(cell.code), "python", view.theme), view, CODE_LINES));
    lines.push(...eventLines(call, index, view));
    const output = outputs.cells[index] ?? { text: "", start: 0 };
    const displays = listIn(cellDetails(call, index), "displays");
    const start = output.start + (call.result?.cutLines ?? 0);
    lines.push(
      ...cellOutputLines({ ...output, start, displays }, call, view, { isError: status === "failed" }),
    );
  }
  return lines;
}

function cellsOf(input: unknown): Cell[] {
  const cells = asRecord(input)["cells"];
  const found = Array.isArray(cells)
    ? cells.map((cell) => ({ code: textIn(cell, "code") ?? "", title: textIn(cell, "title") }))
    : [];
  // An input that is not one: shown as what it is, under the error that it gets.
  return found.length > 0 ? found : [{ code: JSON.stringify(input ?? null), title: undefined }];
}

function cellHeading(
  call: CallItem,
  { title }: Cell,
  index: number,
  count: number,
  status: CallStatus,
  view: View,
): string {
  const facts = asRecord(cellDetails(call, index));
  const executionCount = numberIn(facts, "executionCount");
  const durationMs = numberIn(facts, "durationMs");
  return heading(
    {
      status,
      name: count === 1 ? "python" : `python ${index + 1}/${count}`,
      title,
      facts: [
        executionCount === undefined ? undefined : `[${executionCount}]`,
        status === "running" ? runningTime(call, count, view.now) : undefined,
        status === "waiting" ? (call.isAsked ? "waits for your answer" : "waiting") : undefined,
        status === "stopped" ? stoppedWord(textIn(facts, "status")) : undefined,
        durationMs === undefined || status === "waiting" ? undefined : formatDuration(durationMs),
        index === count - 1 ? artifactFact(call) : undefined,
        index === count - 1 ? callNote(call) : undefined,
      ],
    },
    view,
  );
}

function callNote({ result }: CallItem): string | undefined {
  if (result?.details.kernelRestarted === true) return "kernel restarted";
  return result?.details.timedOut === true ? "timed out" : undefined;
}

function stoppedWord(status: string | undefined): string {
  return status === "not run" ? "not run" : "interrupted";
}

function runningTime({ startedAt, live }: CallItem, count: number, now: number): string | undefined {
  const since = count === 1 || live.partStartedAt === 0 ? startedAt : live.partStartedAt;
  return now - since < 1_000 ? undefined : formatElapsed(now - since);
}

function cellDetails({ result }: CallItem, index: number): unknown {
  const cells = result?.details["cells"];
  return Array.isArray(cells) ? cells[index] : undefined;
}

function cellStatus(call: CallItem, index: number, count: number): CallStatus {
  if (call.result === undefined) {
    if (call.isAsked) return "waiting";
    const runs = count === 1 ? 0 : call.live.part - 1;
    return index < runs ? "ok" : index === runs ? "running" : "waiting";
  }
  switch (textIn(cellDetails(call, index), "status")) {
    case "ok":
      return "ok";
    case "error":
    case "died":
      return "failed";
    case "interrupted":
    case "not run":
      return "stopped";
    default:
      return statusOf(call);
  }
}

/** What the helpers did, the newest. */
function eventLines(call: CallItem, index: number, view: View): string[] {
  const { theme } = view;
  const labels = listIn(cellDetails(call, index), "events").map(
    (event) => `${theme.symbols.note} ${plainText(textIn(event, "label") ?? "").replaceAll("\n", " ")}`,
  );
  const options = { keep: "tail", lines: EVENT_LINES, gutter: "  ", gutterWidth: 2 } as const;
  return preview(labels, view, options).map(theme.dim);
}

function listIn(value: unknown, key: string): readonly unknown[] {
  const found = asRecord(value)[key];
  return Array.isArray(found) ? found : [];
}

interface Piece {
  readonly text: string;
  /** Its first line in the whole output. */
  readonly start: number;
}

/** The tool writes `[2/3] title` before each of several cells. A cut output may begin in the middle of one. */
function splitOutput(output: string, count: number): { before: string; cells: readonly Piece[] } {
  if (count === 1) return { before: "", cells: [{ text: output, start: 0 }] };
  const cells = Array.from({ length: count }, () => ({ start: 0, lines: [] as string[] }));
  const before: string[] = [];
  let current = before;
  let index = -1;
  for (const [at, line] of output.split("\n").entries()) {
    const match = /^\[(\d+)\/(\d+)\]/.exec(line);
    const next = Number(match?.[1]) - 1;
    const isHeading = Number(match?.[2]) === count && (next === index + 1 || (index < 0 && next < count));
    if (!isHeading) {
      current.push(line);
      continue;
    }
    // What came before the first heading that is left belongs to the cell before it.
    if (index < 0 && next > 0) cells[next - 1]?.lines.push(...before.splice(0));
    index = next;
    const cell = cells[index];
    if (cell !== undefined) cell.start = at + 1;
    current = cell?.lines ?? before;
  }
  return {
    before: before.join("\n"),
    cells: cells.map(({ start, lines }) => ({ start, text: lines.join("\n") })),
  };
}
