/**
 * A JSON value as an indented tree. Opened to a depth, with so many entries a container and so many lines in all; what is left out is
 * said. A container that fits on its line is written there. Looks only at what it shows, so a value may be of any size.
 */

import { groupDigits } from "../../format/numbers.ts";
import { clip } from "../text/lines.ts";
import { isContainer, keyText, type Look, painted, scalarText, sizeNote } from "./scalar.ts";

export interface TreeOptions extends Look {
  /** Containers deeper than this stay closed. */
  readonly depth?: number;
  readonly maxEntries?: number;
  readonly maxLines?: number;
  /** Behind the note that there are more lines. */
  readonly hint?: string | undefined;
}

interface Limits {
  readonly depth: number;
  readonly maxEntries: number;
  readonly maxLines: number;
}

/** Longer ones are easier to read as a tree. */
const maxInlineCharacters = 60;
const maxInlineEntries = 12;
const indentBy = 2;

export function renderJson(value: unknown, options: TreeOptions): string[] {
  const { theme, width, depth = 2, maxEntries = 20, maxLines = 100 } = options;
  const lines: string[] = [];
  addValue(
    lines,
    { value, label: "", level: 0 },
    { theme, width },
    { depth, maxEntries, maxLines: maxLines + 1 },
  );
  if (lines.length <= maxLines) return lines;
  const note = options.hint === undefined ? "" : ` more (${options.hint})`;
  return [
    ...lines.slice(0, maxLines),
    theme.dim(clip(`${theme.symbols.more}${note}`, width, theme.symbols.more)),
  ];
}

interface Entry {
  readonly value: unknown;
  /** `name: `, or nothing at the root. */
  readonly label: string;
  readonly level: number;
}

function addValue(lines: string[], { value, label, level }: Entry, look: Look, limits: Limits): void {
  if (lines.length >= limits.maxLines) return;
  const { theme } = look;
  const indent = " ".repeat(Math.min(level * indentBy, Math.floor(look.width / 2)));
  const room = Math.max(4, look.width - indent.length);
  const name = theme.blue(label);
  if (!isContainer(value)) {
    const text = clip(scalarText(value), Math.max(1, room - Bun.stringWidth(label)), theme.symbols.more);
    lines.push(clip(`${indent}${name}${painted(text, value, theme)}`, look.width, theme.symbols.more));
    return;
  }
  const inline = inlineText(value);
  const fits = inline !== undefined && Bun.stringWidth(label) + inline.length <= room;
  const shown = fits ? inline : theme.dim(sizeNote(value));
  lines.push(clip(`${indent}${name}${shown}`, look.width, theme.symbols.more));
  if (fits || level >= limits.depth) return;
  addEntries(lines, value, level + 1, look, limits);
}

function addEntries(lines: string[], value: object, level: number, look: Look, limits: Limits): void {
  const isList = Array.isArray(value);
  const keys = isList ? undefined : Object.keys(value);
  const count = isList ? value.length : (keys?.length ?? 0);
  // One more than allowed is shown rather than a note of the same size.
  const shown = count <= limits.maxEntries + 1 ? count : limits.maxEntries;
  for (let at = 0; at < shown; at++) {
    const key = keys?.[at] ?? String(at);
    const item: unknown = isList ? value[at] : Reflect.get(value, key);
    addValue(lines, { value: item, label: `${keyText(key)}: `, level }, look, limits);
  }
  if (shown < count && lines.length < limits.maxLines) {
    const { theme } = look;
    lines.push(
      `${" ".repeat(Math.min(level * indentBy, Math.floor(look.width / 2)))}${theme.dim(`${theme.symbols.more} ${groupDigits(count - shown)} more`)}`,
    );
  }
}

/** A small container of scalars in one line; undefined for any other. */
function inlineText(value: object): string | undefined {
  const isList = Array.isArray(value);
  // Before its entries are looked at: a list may have millions.
  if ((isList ? value.length : Object.keys(value).length) > maxInlineEntries) return undefined;
  const entries = Object.entries(value);
  if (entries.some(([, item]) => isContainer(item))) return undefined;
  const parts = entries.map(([key, item]) =>
    isList ? scalarText(item) : `${keyText(key)}: ${scalarText(item)}`,
  );
  const text = isList ? `[${parts.join(", ")}]` : parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
  return text.length > maxInlineCharacters || Bun.stringWidth(text) !== text.length ? undefined : text;
}
