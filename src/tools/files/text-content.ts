/**
 * What a file holds, by its first bytes: text and its encoding, a picture, or something else; and text from bytes and back, the
 * same bytes where nothing was changed. Pure.
 */

import { isUtf8 } from "node:buffer";
import { sniffType, UNKNOWN_BINARY } from "../../output/magic.ts";
import { unfinishedTail } from "../../output/utf8.ts";
import { type PictureType, pictureTypes } from "../python/images.ts";

/** Their names for `Buffer`, which knows only one byte order of UTF-16. */
const bufferEncodings = {
  "utf-8": "utf8",
  "utf-16le": "utf16le",
  "utf-16be": "utf16le",
  latin1: "latin1",
} as const;

export interface TextForm {
  readonly encoding: keyof typeof bufferEncodings;
  /** Bytes of the byte order mark. */
  readonly markBytes: 0 | 2 | 3;
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
  if (isUtf8(checked)) {
    return { kind: "text", encoding: "utf-8", markBytes: 0 };
  }
  const isBinary = type?.sure === true || controls(sample) > sample.length * MOST_CONTROLS;
  return isBinary ? binary : { kind: "text", encoding: "latin1", markBytes: 0 };
}

function markedForm(sample: Buffer): FileKind | undefined {
  const start = sample.subarray(0, 4).toString("hex");
  if (start.startsWith("efbbbf") && isUtf8(sample)) {
    return { kind: "text", encoding: "utf-8", markBytes: 3 };
  }
  // With two zeros more it would be UTF-32.
  if (start.startsWith("fffe") && start !== "fffe0000") {
    return { kind: "text", encoding: "utf-16le", markBytes: 2 };
  }
  return start.startsWith("feff") ? { kind: "text", encoding: "utf-16be", markBytes: 2 } : undefined;
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
  const { encoding, markBytes } = found;
  const body = bytes.subarray(markBytes);
  // Half a unit at the end could not be written back.
  if (encoding.startsWith("utf-16") && body.length % 2 !== 0) return undefined;
  const ordered = encoding === "utf-16be" ? Buffer.from(body).swap16() : body;
  return { encoding, markBytes, text: ordered.toString(bufferEncodings[encoding]) };
}

/** Undefined when the encoding has no way to write some character. */
export function encodeText({ encoding, markBytes, text }: TextContent): Buffer | undefined {
  if (encoding === "latin1" && /[^\0-\xff]/.test(text)) return undefined;
  const bytes = Buffer.from(markBytes === 0 ? text : `\ufeff${text}`, bufferEncodings[encoding]);
  return encoding === "utf-16be" ? bytes.swap16() : bytes;
}

/** As people count: a final newline ends the last line and begins no other. */
export function countLines(text: string): number {
  return text.split("\n").length - (text === "" || text.endsWith("\n") ? 1 : 0);
}
