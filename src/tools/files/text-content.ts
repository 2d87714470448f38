/** What a file holds, by its first bytes: text and its form, a picture, or something else; and a whole text in its form. Pure. */

import { isUtf8 } from "node:buffer";
import { sniffType, UNKNOWN_BINARY } from "../../output/magic.ts";
import { unfinishedTail } from "../../output/utf8.ts";
import { type PictureType, pictureTypes } from "../python/images.ts";
import { decodeBytes, type Encoding, encodeString, isMostlyUtf8, oneByteEncoding } from "./encodings.ts";

export interface TextForm {
  readonly encoding: Encoding;
  /** Bytes of the byte order mark. */
  readonly markBytes: 0 | 2 | 3;
  /** It is UTF-8, but not in every byte. */
  readonly isBroken: boolean;
}

export type FileKind =
  | ({ readonly kind: "text" } & TextForm)
  | { readonly kind: "picture"; readonly mediaType: PictureType }
  | { readonly kind: "binary"; readonly type: string };

/** As git and grep do it: text has no NUL so early. One further on, in a log say, does not hide the rest. */
const NUL_SEARCH_BYTES = 8192;
/** Old one-byte text has hardly any control characters; compressed data has 10 %. */
const MOST_CONTROLS = 0.01;

/** @param whole the sample is all of the file */
export function fileKind(sample: Buffer, { whole }: { readonly whole: boolean }): FileKind {
  const type = sniffType(sample);
  const mediaType = pictureTypes.find((name) => name === type?.name);
  if (mediaType !== undefined) return { kind: "picture", mediaType };
  const checked = whole ? sample : sample.subarray(0, sample.length - unfinishedTail(sample));
  const marked = markedForm(checked);
  if (marked !== undefined) return marked;
  const binary = { kind: "binary", type: type?.sure === true ? type.name : UNKNOWN_BINARY } as const;
  if (sample.subarray(0, NUL_SEARCH_BYTES).includes(0)) return binary;
  if (isUtf8(checked)) return textKind("utf-8", 0);
  if (type?.sure === true || controls(sample) > sample.length * MOST_CONTROLS) return binary;
  if (hasUtf8Mark(checked)) return { ...textKind("utf-8", 3), isBroken: true };
  return isMostlyUtf8(checked)
    ? { ...textKind("utf-8", 0), isBroken: true }
    : textKind(oneByteEncoding(checked), 0);
}

function textKind(encoding: Encoding, markBytes: TextForm["markBytes"]): { kind: "text" } & TextForm {
  return { kind: "text", encoding, markBytes, isBroken: false };
}

function hasUtf8Mark(sample: Buffer): boolean {
  return sample.subarray(0, 3).toString("hex") === "efbbbf";
}

function markedForm(sample: Buffer): FileKind | undefined {
  if (hasUtf8Mark(sample) && isUtf8(sample)) return textKind("utf-8", 3);
  const start = sample.subarray(0, 4).toString("hex");
  // With two zeros more it would be UTF-32.
  if (start.startsWith("fffe") && start !== "fffe0000") return textKind("utf-16le", 2);
  return start.startsWith("feff") ? textKind("utf-16be", 2) : undefined;
}

function controls(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte < 0x20 && (byte < 0x08 || byte > 0x0d) && byte !== 0x1b) count++;
  return count;
}

export interface TextContent extends TextForm {
  /** Without the byte order mark. */
  readonly text: string;
}

/** Undefined when the bytes are no text. */
export function decodeText(bytes: Buffer): TextContent | undefined {
  const found = fileKind(bytes, { whole: true });
  if (found.kind !== "text") return undefined;
  const { kind: _, ...form } = found;
  const body = bytes.subarray(form.markBytes);
  // Half a unit at the end could not be written back.
  if (form.encoding.startsWith("utf-16") && body.length % 2 !== 0) return undefined;
  return { ...form, text: decodeBytes(body, form.encoding) };
}

/** Undefined when the encoding has no way to write some character. */
export function encodeText({ encoding, markBytes, isBroken, text }: TextContent): Buffer | undefined {
  const marked = markBytes === 0 ? text : `\ufeff${text}`;
  return encoding === "utf-8" && !isBroken ? Buffer.from(marked, "utf8") : encodeString(marked, encoding);
}

/** As people count: a final newline ends the last line and begins no other. */
export function countLines(text: string): number {
  return text.split("\n").length - (text === "" || text.endsWith("\n") ? 1 : 0);
}
