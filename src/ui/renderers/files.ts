/** The file tools: a line for what only looks, a diff for what changes. */

import { count, groupDigits } from "../../format/numbers.ts";
import type { ToolDetails } from "../../protocol/index.ts";
import { asRecord } from "../../protocol/record.ts";
import type { CallItem, CallResult } from "../store/state.ts";
import { plainText, wrap } from "../text/lines.ts";
import { preview } from "../text/preview.ts";
import { sourceText } from "../text/source-text.ts";
import type { Theme } from "../theme.ts";
import type { View } from "../view.ts";
import { callOutput } from "./output.ts";
import { callHeading } from "./parts.ts";
import { numberIn, textIn } from "./renderer.ts";

const DIFF_LINES = 24;

/** `write` and `edit`. */
export function renderChange(call: CallItem, view: View): string[] {
  const { result, input } = call;
  const [added, removed] = [numberIn(result?.details, "additions"), numberIn(result?.details, "deletions")];
  const facts = [
    added === undefined ? undefined : `+${added} -${removed ?? 0}`,
    result?.details["created"] === true ? "new" : undefined,
  ];
  const head = callHeading(call, { title: textIn(input, "path"), facts }, view);
  if (result === undefined) return call.isAsked ? [head, ...changes(plannedLines(input), view)] : [head];
  if (result.isError) return [head, ...callOutput(call, view)];
  const diff = textIn(result.details, "diff");
  const lines = diff === undefined ? newLines(input) : diffLines(diff);
  return [head, ...lostLines(result.details, view), ...changes(lines, view)];
}

/** Above the diff, which may be cut: what the file had and has no more. */
function lostLines({ notKept }: ToolDetails, { theme, width }: View): string[] {
  if (!Array.isArray(notKept)) return [];
  const note = plainText(`not kept: ${notKept.join(", ")}`);
  return wrap(note, width - 2).map((line) => `  ${theme.yellow(line.trimEnd())}`);
}

function changes(lines: readonly string[], view: View): string[] {
  const shown = lines.map((line) => colorDiff(sourceText(line), view.theme));
  return preview(shown, view, { keep: "head", lines: DIFF_LINES, gutter: "  " });
}

/** Before it is allowed: what would be written, or the texts that an edit takes away and puts in. */
function plannedLines(input: unknown): string[] {
  const { edits } = asRecord(input);
  const listed: readonly unknown[] = Array.isArray(edits) ? edits : [input];
  const parts = listed.map((edit) => [
    ...signed("-", textIn(edit, "old_text")),
    ...signed("+", textIn(edit, "new_text")),
  ]);
  return [...parts.flatMap((part, index) => (index === 0 ? part : ["@@", ...part])), ...newLines(input)];
}

/** A new file is all additions. */
function newLines(input: unknown): string[] {
  return signed("+", textIn(input, "content"));
}

function signed(sign: "+" | "-", text: string | undefined): string[] {
  return text === undefined
    ? []
    : text
        .replace(/\n$/, "")
        .split("\n")
        .map((line) => sign + line);
}

/** Without its head, which ends where the first hunk begins: below it `---` is a line like any other. */
function diffLines(diff: string): string[] {
  const lines = diff.replace(/\n$/, "").split("\n");
  const start = lines.findIndex((line) => line.startsWith("@@"));
  return lines.slice(Math.max(0, start)).filter((line) => !line.startsWith("\\"));
}

function colorDiff(line: string, theme: Theme): string {
  if (line.startsWith("+")) return theme.green(line);
  if (line.startsWith("-")) return theme.red(line);
  return line.startsWith("@@") ? theme.cyan(line) : line;
}

/** How much was found, in what the tool counts. */
function foundWords({ details, output, imageCount }: CallResult): string {
  const [matches, files] = [numberIn(details, "matches"), numberIn(details, "files")];
  if (matches !== undefined && (matches > 0 || !files)) return count(matches, "match", "matches");
  if (files !== undefined) return count(files, "file");
  const entries = numberIn(details, "entries");
  if (entries !== undefined) return count(entries, "entry", "entries");
  if (imageCount > 0) return count(imageCount, "image");
  const cells = numberIn(details, "cellCount");
  if (cells !== undefined) return count(cells, "cell");
  const [first, last] = [numberIn(details, "startLine"), numberIn(details, "endLine")];
  const lines = first === undefined || last === undefined ? output.split("\n").length : last - first + 1;
  const { totalLines = lines } = details;
  return totalLines > lines ? `${groupDigits(lines)} of ${count(totalLines, "line")}` : count(lines, "line");
}

/** `read`, `grep`, `find`, `ls`: what was looked for and how much was found; the finds when expanded. */
export function renderLook(call: CallItem, view: View): string[] {
  const { result, input } = call;
  const subject = [textIn(input, "pattern"), textIn(input, "path")].filter((part) => part !== undefined);
  const facts = result === undefined || result.isError ? [] : [foundWords(result)];
  const head = callHeading(call, { title: subject.join(" in "), facts }, view);
  if (result === undefined || !(result.isError || view.isExpanded)) return [head];
  return [head, ...callOutput(call, view)];
}
