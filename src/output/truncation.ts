/**
 * How much of a long text the model sees, and what is said about the rest. Pure: the keepers take text piece by piece in
 * bounded memory, and give what the policy would give for all of it at once.
 */

import { count } from "../format/numbers.ts";
import { cutHeadBytes, cutTail, cutTailBytes, type TailLimits } from "./cut.ts";
import { Ending } from "./ending.ts";
import { TableSearch } from "./table-start.ts";
import { isHighSurrogate } from "./utf8.ts";

/** Characters are UTF-16 units; a pair is never split. */
export type TruncationPolicy =
  | ({ readonly keep: "tail" } & TailLimits)
  | { readonly keep: "head"; readonly maxChars: number }
  | { readonly keep: "middle"; readonly maxBytes: number };

/** `python` and `bash`: the end matters most. */
export const modelTail: TruncationPolicy = { keep: "tail", maxChars: 30_000, maxLines: 2_000 };
/** `python_run`. */
export const scriptStdoutHead: TruncationPolicy = { keep: "head", maxChars: 50_000 };
export const scriptStderrHead: TruncationPolicy = { keep: "head", maxChars: 10_000 };
/** `exec`: start and end of stdout and stderr together. */
export const execMiddle = { keep: "middle", maxBytes: 1024 * 1024 } as const satisfies TruncationPolicy;

/** What was kept of a text that was too long. */
export type CutFacts =
  | {
      readonly keep: "tail";
      readonly lines: number;
      readonly characters: number;
      readonly partialLine: boolean;
      /** Lines of the table that the cut falls in: its first ones stay above a line that says how many were left out. */
      readonly table?: { readonly shown: number; readonly left: number };
    }
  | { readonly keep: "head"; readonly characters: number }
  | { readonly keep: "middle"; readonly cutBytes: number; readonly totalBytes: number };

export interface Keeper {
  /** Text, or the UTF-8 of whole characters of it. */
  append(text: string | Buffer): void;
  /** `cut` is missing when the text is whole. */
  finish(): { readonly text: string; readonly cut: CutFacts | undefined };
}

export function createKeeper(policy: TruncationPolicy): Keeper {
  switch (policy.keep) {
    case "tail":
      return keepTail(policy);
    case "head":
      return keepHead(policy.maxChars);
    case "middle":
      return keepEnds(policy.maxBytes);
  }
}

/** The most bytes that a UTF-16 unit takes in UTF-8. */
const BYTES_PER_UNIT = 3;

function keepTail(limits: TailLimits): Keeper {
  const tables = new TableSearch();
  // One character more than is kept shows whether the cut falls on the start of a line.
  const ending = new Ending((limits.maxChars + 1) * BYTES_PER_UNIT, (bytes, end) => tables.drop(bytes, end));
  return {
    append: (text) => ending.append(text),
    finish: () => {
      const bytes = ending.bytes();
      const text = bytes.toString("utf8");
      const { start, lines, partialLine } = cutTail(text, limits);
      if (ending.whole && start === 0) return { text, cut: undefined };
      const withTable = partialLine ? undefined : keepTable({ text, bytes, start }, tables, limits);
      if (withTable !== undefined) return withTable;
      const kept = text.slice(start);
      return { text: kept, cut: { keep: "tail", lines, characters: kept.length, partialLine } };
    },
  };
}

/** Of the limits, for the start of a table. */
const TABLE_SHARE = 1 / 4;

/** The tail, with the start of the table that the cut falls in above it, within the same limits. */
function keepTable(
  { text, bytes, start }: { readonly text: string; readonly bytes: Buffer; readonly start: number },
  tables: TableSearch,
  limits: TailLimits,
): ReturnType<Keeper["finish"]> | undefined {
  const tableAt = (cut: number) => tables.at(bytes, Buffer.byteLength(text.slice(0, cut)));
  const found = tableAt(start)?.lines ?? [];
  const shown: string[] = [];
  let head = "";
  for (const line of found) {
    if (shown.length >= limits.maxLines * TABLE_SHARE) break;
    if (head.length + line.length >= limits.maxChars * TABLE_SHARE) break;
    shown.push(line);
    head += `${line}\n`;
  }
  // The names, what is drawn below them, and a row.
  if (shown.length < Math.min(3, found.length) || shown.length === 0) return undefined;
  const note = (left: number) => `[… ${count(left, "line")} of the table left out …]\n`;
  const tail = cutTail(text, {
    maxChars: limits.maxChars - head.length - note(Number.MAX_SAFE_INTEGER).length,
    maxLines: limits.maxLines - shown.length - 1,
  });
  const left = (tableAt(tail.start)?.passed ?? 0) - shown.length;
  // The rest of the table was shorter than its start.
  if (left <= 0 || tail.partialLine) return undefined;
  const kept = `${head}${note(left)}${text.slice(tail.start)}`;
  const table = { shown: shown.length, left };
  return {
    text: kept,
    cut: { keep: "tail", lines: tail.lines, characters: kept.length, partialLine: false, table },
  };
}

function keepHead(maxChars: number): Keeper {
  let kept = "";
  let isCut = false;
  return {
    append: (piece) => {
      if (isCut || piece.length === 0) return;
      const text = piece.toString();
      const room = maxChars - kept.length;
      isCut = text.length > room;
      const splitsPair = isCut && room > 0 && isHighSurrogate(text.charCodeAt(room - 1));
      kept += text.slice(0, splitsPair ? room - 1 : room);
    },
    finish: () => ({ text: kept, cut: isCut ? { keep: "head", characters: kept.length } : undefined }),
  };
}

function keepEnds(maxBytes: number): Keeper {
  const headBytes = Math.floor(maxBytes / 2);
  /** All of the text as long as it may be whole; only its start is used after that. */
  const beginning: Buffer[] = [];
  // Some more than is kept, to see whether the cut falls on a line's start and to step over half a character.
  const ending = new Ending(maxBytes - headBytes + 4);
  let totalBytes = 0;
  return {
    append: (piece) => {
      if (totalBytes <= maxBytes) beginning.push(Buffer.from(piece));
      totalBytes += Buffer.byteLength(piece);
      ending.append(piece);
    },
    finish: () => {
      const start = Buffer.concat(beginning);
      if (totalBytes <= maxBytes) return { text: start.toString("utf8"), cut: undefined };
      const head = cutHeadBytes(start, headBytes);
      const tail = cutTailBytes(ending.bytes(), maxBytes - headBytes);
      const cutBytes = totalBytes - head.length - tail.length;
      const ownLine = head.length === 0 || head[head.length - 1] === 0x0a ? "" : "\n";
      const text = `${head}${ownLine}[… ${count(cutBytes, "byte")} cut here …]\n${tail}`;
      return { text, cut: { keep: "middle", cutBytes, totalBytes } };
    },
  };
}
