/**
 * Changes one key in the text of a settings file and leaves everything else alone: comments, order, indentation, line
 * endings. Pure; `save.ts` writes the result to disk.
 *
 * jsonc-parser's own `modify` is not used: it reformats the neighbours, inserts a new key between the last one and the
 * comment that explains it, and removes the comments between a removed key and its predecessor.
 */

import { applyEdits, createScanner, type Edit, type Node, parseTree } from "jsonc-parser";
import { propertyOf } from "./document.ts";

/** Sets the key at `path`, or removes it when `value` is undefined. The text must be valid, or hold no value yet. */
export function editText(text: string, path: readonly string[], value: unknown): string {
  const root = parseTree(text, undefined, { allowTrailingComma: true });
  if (root === undefined) {
    if (value === undefined) return text;
    const gap = text === "" || text.endsWith("\n") ? "" : "\n";
    return editText(`${text}${gap}{}\n`, path, value);
  }

  const style = styleOf(text);
  let node = root;
  let property: Node | undefined;
  for (const [depth, name] of path.entries()) {
    property = propertyOf(node, name);
    const inner = property?.children?.[1];
    if (inner === undefined) {
      if (value === undefined) return text;
      const nested = path
        .slice(depth + 1)
        .reduceRight<unknown>((content, key) => ({ [key]: content }), value);
      return applyEdits(text, insertion(text, node, name, nested, style));
    }
    node = inner;
  }
  if (value === undefined) return property === undefined ? text : applyEdits(text, removal(text, property));
  const content = print(value, indentAt(text, node.offset), style);
  return applyEdits(text, [{ offset: node.offset, length: node.length, content }]);
}

/** Adds a property at the end of an object. */
function insertion(text: string, parent: Node, name: string, value: unknown, style: Style): Edit[] {
  const { eol, unit } = style;
  const written = (indent: string) => `${JSON.stringify(name)}: ${print(value, indent, style)}`;
  const last = parent.children?.at(-1);
  if (last === undefined) {
    const brace = parent.offset + parent.length - 1;
    const blanks = text.slice(0, brace).length - text.slice(0, brace).trimEnd().length;
    const indent = indentAt(text, brace);
    const content = `${eol}${indent}${unit}${written(indent + unit)}${eol}${indent}`;
    return [{ offset: brace - blanks, length: blanks, content }];
  }

  const end = last.offset + last.length;
  const { comma, commentEnd } = restOfLine(text, end);
  const indent = indentAt(text, last.offset);
  if (!startsLine(text, last.offset) && commentEnd === undefined) {
    return comma === undefined
      ? [{ offset: end, length: 0, content: `, ${written(indent)}` }]
      : [{ offset: comma + 1, length: 0, content: ` ${written(indent)},` }];
  }
  const line = `${eol}${indent}${written(indent)}`;
  if (comma !== undefined) {
    return [{ offset: Math.max(comma + 1, commentEnd ?? 0), length: 0, content: `${line},` }];
  }
  if (commentEnd === undefined) return [{ offset: end, length: 0, content: `,${line}` }];
  return [
    { offset: end, length: 0, content: "," },
    { offset: commentEnd, length: 0, content: line },
  ];
}

/** Removes a property with its comma, and the whole line if nothing else is on it. */
function removal(text: string, property: Node): Edit[] {
  const end = property.offset + property.length;
  const comma = commaAfter(text, end);
  // Comments between the two are kept.
  const together = comma !== undefined && text.slice(end, comma).trim() === "";
  const edits: Edit[] = [wholeLine(text, property.offset, together ? comma + 1 : end)];
  if (comma !== undefined && !together) edits.push({ offset: comma, length: 1, content: "" });
  // The one before is the last now, and plain JSON allows it no comma.
  const before = comma === undefined ? commaBefore(text, property) : undefined;
  if (before !== undefined) edits.push({ offset: before, length: 1, content: "" });
  return edits;
}

function commaBefore(text: string, property: Node): number | undefined {
  const siblings = property.parent?.children ?? [];
  const previous = siblings[siblings.indexOf(property) - 1];
  return previous && commaAfter(text, previous.offset + previous.length);
}

function commaAfter(text: string, end: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(end);
  scanner.scan();
  const offset = scanner.getTokenOffset();
  return text[offset] === "," ? offset : undefined;
}

function wholeLine(text: string, start: number, end: number): Edit {
  const rest = /^[ \t]*\r?\n/.exec(text.slice(end));
  if (!startsLine(text, start) || rest === null) return { offset: start, length: end - start, content: "" };
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  return { offset: lineStart, length: end + rest[0].length - lineStart, content: "" };
}

/** What follows a property on its line: its comma, and the end of the last comment. */
function restOfLine(text: string, offset: number) {
  const scanner = createScanner(text, false);
  scanner.setPosition(offset);
  let comma: number | undefined;
  let commentEnd: number | undefined;
  for (;;) {
    scanner.scan();
    const start = scanner.getTokenOffset();
    const token = text.slice(start, start + scanner.getTokenLength());
    if (token === ",") comma = start;
    else if (token.startsWith("/")) commentEnd = start + token.length;
    else if (!/^[ \t]+$/.test(token)) return { comma, commentEnd };
  }
}

interface Style {
  readonly eol: string;
  /** One step of indentation. */
  readonly unit: string;
}

/** As the file has it; two spaces by default. */
function styleOf(text: string): Style {
  return {
    eol: text.includes("\r\n") ? "\r\n" : "\n",
    unit: /^([ \t]{1,8})"/m.exec(text)?.[1] ?? "  ",
  };
}

function indentAt(text: string, offset: number): string {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? "";
}

function startsLine(text: string, offset: number): boolean {
  return text.lastIndexOf("\n", offset - 1) + 1 + indentAt(text, offset).length === offset;
}

/** Objects with one key per line, lists on one line. */
function print(value: unknown, indent: string, style: Style): string {
  if (Array.isArray(value)) return `[${value.map((item) => print(item, indent, style)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = indent + style.unit;
  const lines = Object.entries(value).map(
    ([name, content]) => `${inner}${JSON.stringify(name)}: ${print(content, inner, style)}`,
  );
  return `{${style.eol}${lines.join(`,${style.eol}`)}${style.eol}${indent}}`;
}
