/** A range of a text file's lines as the model reads them: `12|text`. Reads what it needs and no more than it can count. */

import type { FileHandle } from "node:fs/promises";
import { count, groupDigits } from "../../format/numbers.ts";
import type { ToolResult } from "../../protocol/index.ts";
import { ToolError } from "../tool-error.ts";
import { decodeBytes, encodingNames } from "./encodings.ts";
import { LineScan } from "./line-scan.ts";
import type { TextForm } from "./text-content.ts";

export const MAX_LINES = 2_000;

const CHUNK_BYTES = 256 * 1024;
/** How far beyond the range lines are still counted, to say how many there are. */
const COUNT_BYTES = 64 * 1024 * 1024;

export interface TextRange {
  readonly handle: FileHandle;
  readonly form: TextForm;
  readonly shown: string;
  /** From 1; negative counts from the end. */
  readonly offset: number | undefined;
  readonly limit: number | undefined;
  readonly signal: AbortSignal;
  readonly stripEscapes: boolean;
}

export async function readTextRange(range: TextRange): Promise<Pick<ToolResult, "output" | "details">> {
  const { offset = 1, limit = MAX_LINES, shown } = range;
  const first = offset > 0 ? offset : Math.max(1, (await countAll(range)) + offset + 1);
  const scan = lineScan(range, first, limit);
  const complete = await feed(range, scan, { countBytes: COUNT_BYTES });
  if (scan.rendered.length === 0) throw pastEndError(shown, first, scan.lines);
  const last = scan.next - 1;
  const truncated = !complete || scan.lines > last;
  return {
    output: [...scan.rendered, ...describeRange(range, scan, { complete })].join("\n"),
    details: {
      startLine: first,
      endLine: last,
      // Missing where the file is too long to be counted.
      ...(complete ? { totalLines: scan.lines } : {}),
      truncated: truncated || scan.clippedLines > 0,
      encoding: range.form.encoding,
      lineEnding: scan.crlfLines === 0 ? "lf" : scan.lfLines === 0 ? "crlf" : "mixed",
    },
  };
}

function lineScan({ form, stripEscapes }: TextRange, first: number, limit: number): LineScan {
  const encoding = form.encoding === "latin1" ? "latin1" : "utf8";
  return new LineScan({ first, maxLines: limit, encoding, stripEscapes });
}

function describeRange({ form }: TextRange, scan: LineScan, { complete }: { complete: boolean }): string[] {
  const { next, lines, crlfLines, lfLines } = scan;
  const start = next - scan.rendered.length;
  const notes: string[] = [];
  if (!complete || lines >= next) {
    const total = complete ? `of ${groupDigits(lines)}` : `of more than ${groupDigits(lines)}`;
    notes.push(`lines ${start}-${next - 1} ${total}; continue with offset ${next}`);
  }
  notes.push(...describeForm(form));
  if (crlfLines > 0) notes.push(lfLines === 0 ? "CRLF line endings" : "mixed line endings");
  return notes.length === 0 ? [] : [`[${notes.join("; ")}]`];
}

function describeForm({ encoding, isBroken }: TextForm): string[] {
  if (isBroken) return ["not all of it is UTF-8: other bytes are shown as \ufffd"];
  if (encoding === "utf-8") return [];
  const name = encodingNames[encoding];
  return [encoding.startsWith("utf-16") ? `encoding ${name}` : `not UTF-8: read as ${name}`];
}

function pastEndError(shown: string, first: number, lines: number): ToolError {
  const issue = `offset ${first} is past the end: '${shown}' has ${count(lines, "line")}`;
  return new ToolError({ operation: "read", issue, code: "OUT_OF_RANGE" });
}

async function countAll(range: TextRange): Promise<number> {
  const scan = lineScan(range, 1, 0);
  await feed(range, scan, { countBytes: Number.POSITIVE_INFINITY });
  return scan.lines;
}

/** True when the end of the file was reached. */
async function feed(
  { handle, form, signal }: TextRange,
  scan: LineScan,
  limits: { readonly countBytes: number },
): Promise<boolean> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const toUtf8 = transcoder(form);
  let counted = 0;
  let position: number = form.markBytes;
  while (counted <= limits.countBytes) {
    if (signal.aborted) throw new ToolError({ operation: "read", issue: "cancelled", code: "CANCELLED" });
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) {
      scan.push(toUtf8(undefined));
      scan.end();
      return true;
    }
    position += bytesRead;
    if (scan.full) counted += bytesRead;
    scan.push(toUtf8(buffer.subarray(0, bytesRead)));
  }
  return false;
}

/** The scan knows UTF-8 and Latin-1: the others become UTF-8 on the way. */
function transcoder({ encoding }: TextForm): (bytes: Buffer | undefined) => Buffer {
  switch (encoding) {
    case "utf-8":
    case "latin1":
      return (bytes = Buffer.alloc(0)) => bytes;
    case "windows-1252":
      return (bytes = Buffer.alloc(0)) => Buffer.from(decodeBytes(bytes, encoding));
    default: {
      const decoder = new TextDecoder(encoding);
      return (bytes) =>
        Buffer.from(bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true }));
    }
  }
}
