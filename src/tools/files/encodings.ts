/** Text from bytes and back in each encoding that files are written in: the same bytes where nothing was changed. Pure. */

import { isUtf8 } from "node:buffer";
import { sequenceAt } from "../../output/utf8.ts";

export const encodingNames = {
  "utf-8": "UTF-8",
  "utf-16le": "UTF-16LE",
  "utf-16be": "UTF-16BE",
  latin1: "Latin-1",
  "windows-1252": "Windows-1252",
} as const;

export type Encoding = keyof typeof encodingNames;

/** In UTF-8 each byte that is none is half a surrogate pair, 0xDC00 and the byte: what no valid text has, as in Python. */
export function decodeBytes(bytes: Buffer, encoding: Encoding): string {
  switch (encoding) {
    case "utf-8":
      return isUtf8(bytes) ? bytes.toString("utf8") : decodeBroken(bytes);
    case "utf-16le":
      return bytes.toString("utf16le");
    case "utf-16be":
      return Buffer.from(bytes).swap16().toString("utf16le");
    case "latin1":
      return bytes.toString("latin1");
    case "windows-1252":
      return bytes
        .toString("latin1")
        .replace(/[\x80-\x9f]/g, (character) => WINDOWS[character.charCodeAt(0) - 0x80] ?? character);
  }
}

/** Undefined when the encoding has no way to write some character. */
export function encodeString(text: string, encoding: Encoding): Buffer | undefined {
  switch (encoding) {
    case "utf-8":
      return encodeBroken(text);
    case "utf-16le":
      return Buffer.from(text, "utf16le");
    case "utf-16be":
      return Buffer.from(text, "utf16le").swap16();
    case "latin1":
      return encodeOneByte(text);
    case "windows-1252":
      return encodeOneByte(
        text.replace(/[^\0-\x7f\xa0-\xff]/g, (character) => {
          const at = WINDOWS.indexOf(character);
          return at === -1 ? character : String.fromCharCode(0x80 + at);
        }),
      );
  }
}

/** What Windows-1252 has at 0x80 to 0x9f, where Latin-1 has control characters. Five are not used, and mean themselves. */
const WINDOWS =
  "\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f" +
  "\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178";

function encodeOneByte(text: string): Buffer | undefined {
  return /[^\0-\xff]/.test(text) ? undefined : Buffer.from(text, "latin1");
}

/** Windows-1252 where some byte is a character there that Latin-1 does not have, and none is one of its five gaps. */
export function oneByteEncoding(bytes: Uint8Array): "latin1" | "windows-1252" {
  let hasWindows = false;
  for (const byte of bytes) {
    if (byte < 0x80 || byte > 0x9f) continue;
    if (WINDOWS.charCodeAt(byte - 0x80) === byte) return "latin1";
    hasWindows = true;
  }
  return hasWindows ? "windows-1252" : "latin1";
}

/**
 * Text that is not UTF-8 as a whole is still that when its characters outside of ASCII are mostly well formed: in a text of
 * one-byte characters hardly any are.
 */
export function isMostlyUtf8(bytes: Uint8Array): boolean {
  let good = 0;
  let bad = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceAt(bytes, at);
    if (length > 1) good++;
    else if (length < 1) bad++;
    at += Math.max(1, Math.abs(length));
  }
  return good > 0 && good >= bad;
}

function decodeBroken(bytes: Buffer): string {
  const parts: string[] = [];
  let start = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceAt(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    parts.push(bytes.toString("utf8", start, at), String.fromCharCode(0xdc00 + (bytes[at] ?? 0)));
    at += 1;
    start = at;
  }
  return parts.join("") + bytes.toString("utf8", start);
}

function encodeBroken(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, "utf8");
  const parts = text.split(/([\udc80-\udcff])/u);
  return Buffer.concat(
    parts.map((part, at) =>
      at % 2 === 0 ? Buffer.from(part, "utf8") : Buffer.of(part.charCodeAt(0) & 0xff),
    ),
  );
}
