/**
 * A JSON value as an indented tree, with limits for depth, entries of a container and lines, and notes about what is left out. A container
 * that fits on its line is written there. Looks only at what it shows, so a value may be of any size.
 */

import { groupDigits } from "../../format/numbers.ts";
import { clip } from "../text/lines.ts";
import type { Page } from "../view.ts";
import { isContainer, keyText, paintValue, scalarText, sizeNote } from "./scalar.ts";

export interface TreeOptions extends Page {
  /** Containers deeper than this stay closed. */
  readonly depth?: number;
  readonly maxEntries?: number;
  readonly maxLines?: number;
  /** After the note that there are more lines. */
  readonly hint?: string | undefined;
}

type Limits = Required<Pick<TreeOptions, "depth" | "maxEntries" | "maxLines">>;

/** Longer ones are easier to read as a tree. */
const MAX_INLINE_CHARACTERS = 60;
const MAX_INLINE_ENTRIES = 12;
const INDENT = 2;

export function renderJson(value: unknown, options: TreeOptions): string[] {
  const { theme, width, depth = 2, maxEntries = 20, maxLines = 100 } = options;
  const lines: string[] = [];
  const limits = { depth, maxEntries, maxLines: maxLines + 1 };
  addValue(lines, { value, label: "", level: 0 }, { theme, width }, limits);
  if (lines.length <= maxLines) return lines;
  const note = options.hint === undefined ? "" : ` more (${options.hint})`;
  const last = theme.dim(clip(`${theme.symbols.more}${note}`, width, theme.symbols.more));
  return [...lines.slice(0, maxLines), last];
}

interface Entry {
  readonly value: unknown;
  /** `name: `, or nothing at the root. */
  readonly label: string;
  readonly level: number;
}

function addValue(lines: string[], { value, label, level }: Entry, page: Page, limits: Limits): void {
  if (lines.length >= limits.maxLines) return;
  const { theme } = page;
  const indent = indentOf(level, page);
  const room = Math.max(4, page.width - indent.length);
  const name = theme.blue(label);
  if (!isContainer(value)) {
    const text = clip(scalarText(value), Math.max(1, room - Bun.stringWidth(label)), theme.symbols.more);
    lines.push(clip(`${indent}${name}${paintValue(text, value, theme)}`, page.width, theme.symbols.more));
    return;
  }
  const inline = inlineText(value);
  const fits = inline !== undefined && Bun.stringWidth(label) + inline.length <= room;
  const shown = fits ? inline : theme.dim(sizeNote(value));
  lines.push(clip(`${indent}${name}${shown}`, page.width, theme.symbols.more));
  if (fits || level >= limits.depth) return;
  addEntries(lines, value, level + 1, page, limits);
}

function addEntries(lines: string[], value: object, level: number, page: Page, limits: Limits): void {
  const isList = Array.isArray(value);
  const keys = isList ? undefined : Object.keys(value);
  const count = isList ? value.length : (keys?.length ?? 0);
  // One more than allowed is shown rather than a note of the same size.
  const shown = count <= limits.maxEntries + 1 ? count : limits.maxEntries;
  for (let at = 0; at < shown; at++) {
    const key = keys?.[at] ?? String(at);
    const item: unknown = isList ? value[at] : Reflect.get(value, key);
    addValue(lines, { value: item, label: `${keyText(key)}: `, level }, page, limits);
  }
  if (shown < count && lines.length < limits.maxLines) {
    const { dim, symbols } = page.theme;
    lines.push(indentOf(level, page) + dim(`${symbols.more} ${groupDigits(count - shown)} more`));
  }
}

function indentOf(level: number, { width }: Page): string {
  return " ".repeat(Math.min(level * INDENT, Math.floor(width / 2)));
}

/** A small container of scalars in one line; undefined for any other. */
function inlineText(value: object): string | undefined {
  const isList = Array.isArray(value);
  // Before its entries are looked at: a list may have millions.
  if ((isList ? value.length : Object.keys(value).length) > MAX_INLINE_ENTRIES) return undefined;
  const entries = Object.entries(value);
  if (entries.some(([, item]) => isContainer(item))) return undefined;
  const parts = entries.map(([key, item]) =>
    isList ? scalarText(item) : `${keyText(key)}: ${scalarText(item)}`,
  );
  const text = isList ? `[${parts.join(", ")}]` : parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
  return text.length > MAX_INLINE_CHARACTERS || Bun.stringWidth(text) !== text.length ? undefined : text;
}
