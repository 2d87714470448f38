/** `$code` in the editor: where the code is, how its lines begin, and what of it is asked about. Pure. */

import { expandPastes, placeholderAt } from "../editor/paste.ts";
import { type EditorState, edit } from "../editor/state.ts";

const INDENT = 4;
const DOLLARS = /^\$\$?/;

export interface WrittenCode {
  /** Without the dollar signs, pastes unfolded. */
  readonly code: string;
  readonly cursor: number;
}

/** The code being written; undefined for other text, and if the cursor is before it. */
export function codeIn(editor: EditorState): WrittenCode | undefined {
  const start = DOLLARS.exec(editor.text)?.[0].length;
  if (start === undefined || editor.cursor < start) return undefined;
  const unfolded = (text: string) => expandPastes({ text, pastes: editor.pastes });
  return {
    code: unfolded(editor.text.slice(start)),
    cursor: unfolded(editor.text.slice(start, editor.cursor)).length,
  };
}

/** The spaces before the cursor, when there is nothing else in its line of code; undefined when there is. */
export function indentBefore(editor: EditorState): string | undefined {
  if (codeIn(editor) === undefined) return undefined;
  const line = editor.text.slice(editor.text.lastIndexOf("\n", editor.cursor - 1) + 1, editor.cursor);
  // The first line starts with a dollar sign, so it has no indentation.
  return /^ *$/.test(line) ? line : undefined;
}

export function addIndent(editor: EditorState): EditorState {
  const { length } = indentBefore(editor) ?? "";
  const insert = " ".repeat(INDENT - (length % INDENT));
  return edit(editor, { start: editor.cursor, end: editor.cursor, insert, kind: "type" });
}

/** One step of indentation less; undefined if there is none before the cursor. */
export function removeIndent(editor: EditorState): EditorState | undefined {
  const { length } = indentBefore(editor) ?? "";
  if (length === 0) return undefined;
  const start = editor.cursor - (length % INDENT || INDENT);
  return edit(editor, { start, end: editor.cursor, insert: "", kind: "delete" });
}

/** Where in the editor a completion starts that starts so many characters before the cursor of the code. */
export function startInEditor(editor: EditorState, before: number): number | undefined {
  const start = editor.cursor - before;
  const isOneText =
    start >= 0 &&
    expandPastes({ ...editor, text: editor.text.slice(start, editor.cursor) }).length === before;
  return isOneText && placeholderAt(editor, start) === undefined ? start : undefined;
}

/** What the kernel is asked: an empty last line ends a block, as at Python's own prompt. */
export function askedCode(code: string): string {
  return /\n[ \t]*$/.test(code) ? `${code}\n` : code;
}

/** Without a kernel: as the last line, and a step more after a colon. */
export function guessedIndent(code: string): string {
  const last = code.slice(code.lastIndexOf("\n") + 1);
  const indent = /^[ \t]*/.exec(last)?.[0] ?? "";
  return /:\s*(?:#.*)?$/.test(last) ? indent + " ".repeat(INDENT) : indent;
}

/** Without the indentation that all of its lines have, and without empty lines around it. */
export function dedented(code: string): string {
  const lines = code.replace(/^(?:[ \t]*\n)+|\s+$/g, "").split("\n");
  const indents = lines.filter((line) => line.trim() !== "").map((line) => /^[ \t]*/.exec(line)?.[0] ?? "");
  const shared = indents.reduce((common, indent) => {
    let length = Math.min(common.length, indent.length);
    while (common.slice(0, length) !== indent.slice(0, length)) length -= 1;
    return common.slice(0, length);
  }, indents[0] ?? "");
  return lines
    .map((line) => (line.startsWith(shared) ? line.slice(shared.length) : line.trimStart()))
    .join("\n");
}

export interface Inspection {
  /** What is asked about. */
  readonly name: string;
  readonly detail: "text" | "source";
}

/** `name?`, `name??` and `?name`, as IPython reads them. */
export function inspectionIn(code: string): Inspection | undefined {
  const match = /^\s*(?:(\?\??)\s*(%{0,2}[^\s?]+)|(%{0,2}[^\s?=;]+)\s*(\?\??))\s*$/.exec(code);
  const name = match?.[2] ?? match?.[3];
  const marks = match?.[1] ?? match?.[4] ?? "";
  return name === undefined ? undefined : { name, detail: marks.length > 1 ? "source" : "text" };
}
