/** One value in one line: JSON's own spelling, safe to draw, cut where it is long. */

import { count } from "../../format/numbers.ts";
import type { Theme } from "../theme.ts";

export interface Look {
  readonly theme: Theme;
  readonly width: number;
}

/** JSON leaves delete and the upper controls as they are; a terminal does not. */
export function safe(text: string): string {
  return text.replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

export function scalarText(value: unknown): string {
  if (typeof value === "string") return safe(JSON.stringify(value));
  return safe(String(value));
}

export function painted(text: string, value: unknown, theme: Theme): string {
  if (typeof value === "string") return theme.green(text);
  if (typeof value === "number" || typeof value === "bigint") return theme.cyan(text);
  return typeof value === "boolean" || value === null ? theme.magenta(text) : text;
}

/** A key without quotes where it is a plain word. */
export function keyText(key: string): string {
  return /^[\w$.-]+$/.test(key) ? key : safe(JSON.stringify(key));
}

/** `{3 keys}` or `[120 items]`. */
export function sizeNote(value: object): string {
  const length = Array.isArray(value) ? value.length : Object.keys(value).length;
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const what = Array.isArray(value) ? "item" : "key";
  return length === 0 ? open + close : `${open}${count(length, what)}${close}`;
}
