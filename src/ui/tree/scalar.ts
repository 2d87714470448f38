/** One value in one line: JSON's own spelling, safe to draw, cut where it is long. */

import { count } from "../../format/numbers.ts";
import type { Theme } from "../theme.ts";

/** JSON leaves delete and the upper control characters as they are; a terminal would act on them. */
function escapeControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

export function scalarText(value: unknown): string {
  if (typeof value === "string") return escapeControls(JSON.stringify(value));
  return escapeControls(String(value));
}

export function paintValue(text: string, value: unknown, theme: Theme): string {
  if (typeof value === "string") return theme.green(text);
  if (typeof value === "number" || typeof value === "bigint") return theme.cyan(text);
  return typeof value === "boolean" || value === null ? theme.magenta(text) : text;
}

/** A key without quotes where it is a plain word. */
export function keyText(key: string): string {
  return /^[\w$.-]+$/.test(key) ? key : escapeControls(JSON.stringify(key));
}

/** `{3 keys}` or `[120 items]`. */
export function sizeNote(value: object): string {
  const length = Array.isArray(value) ? value.length : Object.keys(value).length;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const what = Array.isArray(value) ? "item" : "key";
  return length === 0 ? open + close : `${open}${count(length, what)}${close}`;
}
