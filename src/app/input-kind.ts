/** What kind of data a large input is, read from its first and last bytes: it may be larger than the memory. */

import { isTextByte } from "../output/binary-stretch.ts";
import { sniffType, UNKNOWN_BINARY } from "../output/magic.ts";
import { sequenceAt } from "../output/utf8.ts";
import { isRecord, parseJson } from "../protocol/record.ts";

/** What is looked at, at each end. */
export const SAMPLE_BYTES = 65_536;

export interface DataKind {
  /** For the model and for people: `CSV with 12 columns`, `JSON Lines`, `image/png`. */
  readonly kind: string;
  /** How to decode it; undefined for what is not text. */
  readonly encoding: "utf-8" | "utf-16le" | "utf-16be" | undefined;
}

export interface Sample {
  readonly head: Uint8Array;
  /** The end, which may overlap the head. */
  readonly tail: Uint8Array;
}

export function kindOf({ head, tail }: Sample): DataKind {
  const sniffed = sniffType(head);
  const charset = /charset=(utf-16[lb]e)$/.exec(sniffed?.name ?? "")?.[1];
  if (charset === "utf-16le" || charset === "utf-16be")
    return { kind: `text (${charset})`, encoding: charset };
  if (sniffed?.sure || !isText(head)) return { kind: sniffed?.name ?? UNKNOWN_BINARY, encoding: undefined };
  const decoder = new TextDecoder();
  return { kind: textKind(decoder.decode(head), decoder.decode(tail)), encoding: "utf-8" };
}

/** Without the control characters that only binary data has. Bytes of an old encoding, such as Latin-1, are text, too. */
function isText(bytes: Uint8Array): boolean {
  let bad = 0;
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80 && !isTextByte(byte)) return false;
    const length = byte < 0x80 ? 1 : sequenceAt(bytes, at);
    if (length < 0) bad += 1;
    at += Math.max(1, Math.abs(length));
  }
  return bad <= bytes.length / 4;
}

function textKind(head: string, tail: string): string {
  const lines = head.split("\n", 20).map((line) => line.replace(/\r$/, ""));
  const [first = ""] = lines;
  const last = tail.trimEnd().split("\n").at(-1) ?? "";
  const start = head.trimStart()[0];
  if (lines.length > 1 && [first, last].every((line) => isRecord(parseJson(line)))) return "JSON Lines";
  if ((start === "{" || start === "[") && /[\]}]\s*$/.test(tail)) return "JSON";
  if (/^\s*<(?:!doctype html|html)\b/i.test(head)) return "HTML";
  if (/^\s*<(?:\?xml|[a-z])/i.test(head)) return "XML";
  // The last line of the sample may be cut.
  return tableKind(head.length < SAMPLE_BYTES / 4 ? lines : lines.slice(0, -1)) ?? "text";
}

/** Of names in the first line: a log has a comma in each of its times, too. */
const HEADING = /^\s*"?[\p{L}_#]/u;

/** The same number of fields in each of the first lines. */
function tableKind(lines: readonly string[]): string | undefined {
  const rows = lines.filter((line) => line !== "");
  const [heading = ""] = rows;
  if (rows.length < 2) return undefined;
  for (const [separator, name] of [
    ["\t", "TSV"],
    [",", "CSV"],
    [";", "CSV (;)"],
  ] as const) {
    const counts = new Set(rows.map((line) => fieldsIn(line, separator)));
    const [columns = 1] = counts;
    const isHeaded = heading.split(separator).every((name) => HEADING.test(name));
    if (counts.size === 1 && columns > 1 && isHeaded) return `${name} with ${columns} columns`;
  }
  return undefined;
}

function fieldsIn(line: string, separator: string): number {
  return line.replace(/"(?:[^"]|"")*"/g, "").split(separator).length;
}
