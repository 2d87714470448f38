/** The file tools: a line for what only looks, a diff for what changes. */

import { count, groupDigits } from "../../format/numbers.ts";
import type { ToolDetails } from "../../protocol/index.ts";
import { asRecord } from "../../protocol/record.ts";
import type { CallItem, CallResult } from "../store/state.ts";
import { plainText, wrap } from "../text/lines.ts";
import type { View } from "../view.ts";
import { type ChangedLine, changeLines, diffLines, signedLines } from "./diff.ts";
import { callOutput } from "./output.ts";
import { callHeading } from "./parts.ts";
import { numberIn, textIn } from "./renderer.ts";

/** `write` and `edit`. */
export function renderChange(call: CallItem, view: View): string[] {
  const { result, input } = call;
  const [added, removed] = [numberIn(result?.details, "additions"), numberIn(result?.details, "deletions")];
  const facts = [
    added === undefined ? undefined : `+${added} -${removed ?? 0}`,
    result?.details["created"] === true ? "new" : undefined,
  ];
  const path = textIn(input, "path");
  const head = callHeading(call, { title: path, facts }, view);
  const changes = (lines: readonly ChangedLine[]) => changeLines(lines, path ?? "", view);
  if (result === undefined) return call.isAsked ? [head, ...changes(plannedLines(input))] : [head];
  if (result.isError) return [head, ...callOutput(call, view)];
  const diff = textIn(result.details, "diff");
  const lines = diff === undefined ? newLines(input) : diffLines(diff);
  return [head, ...lostLines(result.details, view), ...changes(lines)];
}

/** Above the diff, which may be cut: what the file had and has no more. */
function lostLines({ notKept }: ToolDetails, { theme, width }: View): string[] {
  if (!Array.isArray(notKept)) return [];
  const note = plainText(`not preserved: ${notKept.join(", ")}`);
  return wrap(note, width - 2).map((line) => `  ${theme.yellow(line.trimEnd())}`);
}

/** Before it is allowed: what would be written, or the texts that an edit takes away and puts in. */
function plannedLines(input: unknown): ChangedLine[] {
  const { edits } = asRecord(input);
  const listed: readonly unknown[] = Array.isArray(edits) ? edits : [input];
  const parts = listed.map((edit) => [
    ...signedLines("-", textIn(edit, "old_text")),
    ...signedLines("+", textIn(edit, "new_text")),
  ]);
  const gap: ChangedLine = { sign: "@", text: "" };
  return [...parts.flatMap((part, index) => (index === 0 ? part : [gap, ...part])), ...newLines(input)];
}

/** A new file is all additions. */
function newLines(input: unknown): ChangedLine[] {
  return signedLines("+", textIn(input, "content"), 1);
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
