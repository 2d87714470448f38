/** `python`: its cells, each with its code, its status and what it printed. */

import { count, groupDigits } from "../../format/numbers.ts";
import type { OutputPiece } from "../../protocol/index.ts";
import { colorCode } from "../markdown/code-colors.ts";
import type { CallItem } from "../store/state.ts";
import { clip, plainText } from "../text/lines.ts";
import { preview } from "../text/preview.ts";
import { sourceText } from "../text/source-text.ts";
import type { View } from "../view.ts";
import { cutLines, outputLines, piecesOf } from "./output.ts";
import { codeLines, heading, timeWords } from "./parts.ts";
import { type CallStatus, listIn, numberIn, statusOf, textIn } from "./renderer.ts";

const CODE_LINES = 12;
const EVENT_LINES = 10;

interface Cell {
  readonly code: string;
  readonly title: string | undefined;
}

export function renderPython(call: CallItem, view: View): string[] {
  const cells = cellsOf(call.input);
  const pieces = piecesOf(call);
  // Several cells have what belongs to none of them above the first and below the last.
  const firstOfCell = pieces.findIndex(({ cell }) => cell !== undefined);
  const cellOf = ({ cell }: OutputPiece, at: number) =>
    cells.length === 1 ? 0 : (cell ?? (at < firstOfCell ? -1 : cells.length - 1));
  const outputOf = (index: number) => pieces.filter((piece, at) => cellOf(piece, at) === index);
  const lines = outputLines(outputOf(-1), call, view, { isError: false });
  for (const [index, cell] of cells.entries()) {
    const status = cellStatus(call, index, cells.length);
    lines.push(cellHeading(call, cell, index, cells.length, status, view));
    if (!call.isAsked || !isCodeInQuestion(call))
      lines.push(...codeLines(colorCode(sourceText(cell.code), "python", view.theme), view, CODE_LINES));
    lines.push(...eventLines(call, index, view));
    const displays = listIn(cellDetails(call, index), "displays");
    lines.push(...outputLines(outputOf(index), call, view, { isError: status === "failed", displays }));
  }
  lines.push(...nestedLines(call, view));
  return [...lines, ...cutLines(call, view)];
}

/** `12 calls: 11 read, grep (1 running)`. */
function nestedLines({ nested, result }: CallItem, { theme, width }: View): string[] {
  const names = Object.entries(nested.counts);
  const total = names.reduce((sum, [, times]) => sum + times, 0);
  if (total === 0) return [];
  const words = names.map(([name, times]) => (times === 1 ? name : `${groupDigits(times)} ${name}`));
  const facts = [
    ...(nested.running > 0 && result === undefined ? [`${nested.running} running`] : []),
    ...(nested.failed > 0 ? [`${nested.failed} failed`] : []),
  ];
  const tail = facts.length === 0 ? "" : ` (${facts.join(", ")})`;
  const line = `  ${theme.symbols.note} ${count(total, "call")}: ${plainText(words.join(", "))}${tail}`;
  return [theme.dim(clip(line, width, theme.symbols.more))];
}

/** A question about the call shows a single line of code, which is not shown above it then. Of more code it shows nothing. */
export function isCodeInQuestion({ input }: CallItem): boolean {
  const [only, ...others] = cellsOf(input);
  const isShort = only !== undefined && only.title === undefined && !only.code.trim().includes("\n");
  return isShort && others.length === 0;
}

function cellsOf(input: unknown): Cell[] {
  const found = listIn(input, "cells").map((cell) => ({
    code: textIn(cell, "code") ?? "",
    title: textIn(cell, "title"),
  }));
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
  const facts = cellDetails(call, index);
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
        status === "waiting" ? (call.isAsked ? "needs approval" : "waiting") : undefined,
        status === "stopped" ? stoppedWord(call, textIn(facts, "status")) : undefined,
        durationMs === undefined || status === "waiting"
          ? undefined
          : timeWords(durationMs, { isOver: true }),
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

/** That the user interrupted the model's call is said once, below all of them. */
function stoppedWord({ by }: CallItem, status: string | undefined): string | undefined {
  if (status === "not run") return "not run";
  return by === "model" ? undefined : "interrupted";
}

function runningTime({ startedAt, live }: CallItem, count: number, now: number): string | undefined {
  const since = (count === 1 ? undefined : live.cells.at(-1)?.startedAt) ?? startedAt;
  return timeWords(now - since, { isOver: false });
}

function cellDetails({ result }: CallItem, index: number): unknown {
  return listIn(result?.details, "cells")[index];
}

function cellStatus(call: CallItem, index: number, count: number): CallStatus {
  if (call.result === undefined) {
    if (call.isAsked) return "waiting";
    const runs = count === 1 ? 0 : (call.live.cells.at(-1)?.number ?? 0) - 1;
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
  const options = { keep: "tail", lines: EVENT_LINES, gutter: "  " } as const;
  return preview(labels, view, options).map(theme.dim);
}
