/** A whole text file in memory, and back to exactly the same bytes where nothing was changed. Pure. */

import { fileKind, type TextForm } from "./file-kind.ts";

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
  switch (encoding) {
    case "utf-8":
      return { encoding, markBytes, text: body.toString("utf8") };
    case "latin1":
      return { encoding, markBytes, text: body.toString("latin1") };
    default:
      // Half a unit at the end could not be written back.
      if (body.length % 2 !== 0) return undefined;
      return {
        encoding,
        markBytes,
        text: (encoding === "utf-16be" ? swapped(body) : body).toString("utf16le"),
      };
  }
}

/** Undefined when the encoding has no way to write some character. */
export function encodeText({ encoding, markBytes, text }: TextContent): Buffer | undefined {
  switch (encoding) {
    case "utf-8":
      return Buffer.from(markBytes === 0 ? text : `\ufeff${text}`, "utf8");
    case "latin1":
      return /[^\0-\xff]/.test(text) ? undefined : Buffer.from(text, "latin1");
    case "utf-16le":
      return Buffer.from(`\ufeff${text}`, "utf16le");
    case "utf-16be":
      return Buffer.from(`\ufeff${text}`, "utf16le").swap16();
  }
}

function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes).swap16();
}

/** As people count: a final newline ends the last line and begins no other. */
export function countLines(text: string): number {
  if (text === "") return 0;
  let lines = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}
