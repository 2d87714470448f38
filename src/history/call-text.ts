/** A call's input as people read it: code as code, a file's text as text, and JSON only for what is neither. */

import { asRecord, isRecord, type UnknownRecord } from "../protocol/record.ts";

export interface CallText {
  readonly text: string;
  /** What Markdown calls the language of it. */
  readonly language: "" | "bash" | "python" | "diff" | "json";
}

export function callText(input: unknown): CallText {
  if (!isRecord(input)) return asJson(input);
  if (isEdit(input)) {
    // A single edit may be given beside the path.
    const { old_text, new_text, replace_all, ...rest } = input;
    return callText({ ...rest, edits: [{ old_text, new_text, replace_all }] });
  }
  const { cells, command, content, edits, ...others } = input;
  if (Array.isArray(cells) && cells.length > 0 && cells.every(isCell))
    return { language: "python", text: [...comments(others), ...cells.map(cellText)].join("\n\n") };
  if (typeof command === "string")
    return { language: "bash", text: [...comments(others), command].join("\n") };
  if (typeof content === "string")
    return { language: "", text: [...lines(others), content.replace(/\n$/, "")].join("\n\n") };
  if (Array.isArray(edits) && edits.length > 0 && edits.every(isEdit))
    return { language: "diff", text: [...lines(others), ...edits.map(editText)].join("\n\n") };
  const values = Object.values(input);
  const [only] = values;
  return values.length === 1 && typeof only === "string" ? { language: "", text: only } : asJson(input);
}

interface Cell {
  readonly code: string;
  readonly title?: unknown;
}

function isCell(cell: unknown): cell is Cell {
  return isRecord(cell) && typeof cell["code"] === "string";
}

function cellText({ code, title }: Cell): string {
  return typeof title === "string" ? `# ${oneLine(title)}\n${code}` : code;
}

interface Edit {
  readonly old_text: string;
  readonly new_text: string;
  readonly replace_all?: unknown;
}

function isEdit(edit: unknown): edit is Edit {
  const { old_text, new_text } = asRecord(edit);
  return typeof old_text === "string" && typeof new_text === "string";
}

function editText({ old_text, new_text, replace_all }: Edit): string {
  const every = replace_all === true ? ["@@ everywhere @@"] : [];
  return [...every, ...signed("-", old_text), ...signed("+", new_text)].join("\n");
}

function signed(sign: string, text: string): string[] {
  return text === "" ? [] : [text.replace(/\n$/, "").replace(/^/gm, sign)];
}

/** The other fields, one a line: what a command is for, a timeout, a directory. */
function lines(others: UnknownRecord): string[] {
  const lines = Object.entries(others).map(
    ([name, value]) => `${name}: ${oneLine(typeof value === "string" ? value : JSON.stringify(value))}`,
  );
  return lines.length === 0 ? [] : [lines.join("\n")];
}

function comments(others: UnknownRecord): string[] {
  return lines(others).map((text) => text.replace(/^/gm, "# "));
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function asJson(input: unknown): CallText {
  return { language: "json", text: JSON.stringify(input, undefined, 2) ?? "" };
}
