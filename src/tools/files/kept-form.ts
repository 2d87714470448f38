/** A new text in the form of the one that it replaces: encoding, byte order mark and line endings. Pure. */

import { encodingNames } from "./encodings.ts";
import { encodeText, type TextContent } from "./text-content.ts";

export interface FormedText {
  readonly content: Buffer;
  /** What the new content has only because the old one had it. */
  readonly kept: readonly string[];
  /** What the old content had and the new one has not. */
  readonly changed: readonly string[];
}

/** @param old undefined for a file that is new, or was no text: plain UTF-8 is written */
export function inFormOf(old: TextContent | undefined, text: string): FormedText {
  if (old === undefined) return { content: Buffer.from(text, "utf8"), kept: [], changed: [] };
  const endings = withEndingsOf(old.text, text);
  const plain = old.markBytes === 0 ? endings.text : endings.text.replace(/^\ufeff/, "");
  const name = encodingNames[old.encoding];
  const content = encodeText({ ...old, isBroken: false, text: plain });
  if (content === undefined) {
    const changed = [
      `${name} (it has no way to write some character; the file is UTF-8 now)`,
      ...endings.changed,
    ];
    return { content: Buffer.from(plain, "utf8"), kept: endings.kept, changed };
  }
  const form = old.encoding !== "utf-8" ? [name] : old.markBytes > 0 ? ["byte order mark"] : [];
  return { content, kept: [...form, ...endings.kept], changed: endings.changed };
}

/** Models write plain newlines and mean lines; a text that has returns of its own is taken as it is. */
function withEndingsOf(old: string, text: string): { text: string; kept: string[]; changed: string[] } {
  const isPlain = text.includes("\n") && !text.includes("\r\n");
  if (!isPlain || !old.includes("\r\n")) return { text, kept: [], changed: [] };
  return /(?<!\r)\n/.test(old)
    ? { text, kept: [], changed: ["mixed line endings (all are LF now)"] }
    : { text: text.replaceAll("\n", "\r\n"), kept: ["CRLF line endings"], changed: [] };
}

/** A line for the result of a change, where there is something to say. */
export function describeKept(kept: readonly string[], notKept: readonly string[]): string {
  const parts = [
    ...(kept.length === 0 ? [] : [`kept: ${kept.join(", ")}`]),
    ...(notKept.length === 0 ? [] : [`not kept: ${notKept.join(", ")}`]),
  ];
  return parts.length === 0 ? "" : `\n[${parts.join("; ")}]`;
}
