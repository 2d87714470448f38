/** A call in words: what runs, what it prints as it comes, how it ended. */

import { spellDuration } from "../../format/durations.ts";
import { asRecord } from "../../protocol/record.ts";
import { pictureName } from "../renderers/pictures.ts";
import { listIn, numberIn, statusOf, textIn } from "../renderers/renderer.ts";
import type { CallItem } from "../store/state.ts";
import { plainText } from "../text/lines.ts";
import { sourceText } from "../text/source-text.ts";

/** When more arrives at once, only its end is read: a thousand lines are too many to listen to. */
const MOST_AT_ONCE = 20;

export function beginning(call: CallItem): string[] {
  const cells = cellsOf(call);
  // With several, each is named when it begins.
  const head = [call.name, title(call)].filter(Boolean).join(", ");
  const first =
    cells.length > 1
      ? `${head}, ${cells.length} cells`
      : `${head}, ${call.isAsked ? "waiting for an answer" : "running"}`;
  const code = textIn(call.input, "command") ?? (cells.length === 1 ? textIn(cells[0], "code") : undefined);
  return [first, ...(code === undefined ? [] : sourceText(code).trimEnd().split("\n"))];
}

function title(call: CallItem): string | undefined {
  const { input } = call;
  const words = textIn(input, "description") ?? textIn(input, "path") ?? textIn(input, "pattern");
  return words ?? textIn(cellsOf(call)[0], "title");
}

function cellsOf({ name, input }: CallItem): readonly unknown[] {
  return name === "python" ? listIn(input, "cells") : [];
}

/** Lines that are read at once. */
export function readLines(lines: readonly string[], { isWhole }: { readonly isWhole: boolean }): string[] {
  const cut = isWhole ? 0 : Math.max(0, lines.length - MOST_AT_ONCE);
  return cut === 0 ? [...lines] : [`${cut} lines omitted`, ...lines.slice(cut)];
}

/** @param number from 1. */
export function cellStart(call: CallItem, number: number): string {
  const cells = cellsOf(call);
  const words = textIn(cells[number - 1], "title");
  return `python cell ${number} of ${cells.length}${words === undefined ? "" : `, ${plainText(words)}`}, running`;
}

/** What a call showed, which cannot be read. */
export function shownPictures({ result }: CallItem): string[] {
  const displays = listIn(result?.details, "cells").flatMap((cell) => listIn(cell, "displays"));
  return displays.flatMap((display) => {
    const { image } = asRecord(display);
    return image === undefined ? [] : [`[image ${pictureName(image)}]`];
  });
}

export function ending(call: CallItem): string[] {
  const { result } = call;
  if (result === undefined) return [];
  const cells = listIn(result.details, "cells");
  if (call.name === "python" && cells.length > 1)
    return cells.map((cell, at) => cellEnding(cell, at, cells.length));
  const ms = numberIn(result.details, "durationMs") ?? (call.endedAt ?? call.startedAt) - call.startedAt;
  const exitCode = numberIn(result.details, "exitCode");
  const { artifact, truncated, kernelRestarted } = result.details;
  const status = statusOf(call);
  const facts = [
    call.name,
    status === "stopped" ? "interrupted" : status,
    exitCode ? `exit code ${exitCode}` : undefined,
    result.details.timedOut === true ? "timed out" : undefined,
    spellDuration(ms),
    kernelRestarted === true ? "the kernel was restarted" : undefined,
    truncated === true && artifact !== undefined ? `full output in artifact ${artifact}` : undefined,
    call.by === "private" ? "hidden from the model" : undefined,
  ];
  return [facts.filter((fact) => fact !== undefined).join(", ")];
}

const cellWords: Readonly<Record<string, string>> = { ok: "ok", error: "failed", died: "failed" };

function cellEnding(cell: unknown, at: number, count: number): string {
  const status = textIn(cell, "status") ?? "";
  const ms = numberIn(cell, "durationMs");
  const time = ms === undefined || status === "not run" ? "" : `, ${spellDuration(ms)}`;
  return `python cell ${at + 1} of ${count}, ${cellWords[status] ?? status}${time}`;
}
