/** Explains why an edit cannot be made, so that a model can correct it with the next call. */

import type { ToolResult } from "../../protocol/index.ts";
import { errorResult, ToolError } from "../tool-error.ts";
import { type EditProblem, foldNewlines, type TextEdit } from "./edit-plan.ts";
import { findNearMiss } from "./near-miss.ts";

export interface EditSituation {
  readonly shown: string;
  readonly text: string;
  readonly edits: readonly TextEdit[];
}

const MOST_LINES = 10;

export function explainProblem(problem: EditProblem, situation: EditSituation): ToolResult {
  const { shown, edits } = situation;
  const field = (index: number) => (edits.length === 1 ? "old_text" : `edits[${index}].old_text`);
  const explain = (issue: string, code: string, more: readonly string[] = []): ToolResult => {
    const result = errorResult(new ToolError({ operation: "edit", issue, code }));
    return { ...result, output: [result.output, ...more].join("\n") };
  };
  switch (problem.kind) {
    case "empty":
      return explain(
        `${field(problem.index)} is empty: to fill a new or empty file use write`,
        "INVALID_INPUT",
      );
    case "no-change":
      return explain(
        `${field(problem.index)} and new_text are the same (line endings are kept as they are)`,
        "NO_CHANGE",
      );
    case "ambiguous":
      return explain(
        `${field(problem.index)} occurs ${problem.count} times in '${shown}' (lines ${listLines(problem.lines)}): add lines around it, or set replace_all`,
        "NOT_UNIQUE",
      );
    case "overlap":
      return explain(
        `edits[${problem.other}] and edits[${problem.index}] overlap at line ${problem.line} of '${shown}': make them one`,
        "OVERLAP",
      );
    case "not-found":
      return explain(
        `${field(problem.index)} was not found in '${shown}'; nothing was changed`,
        "NO_MATCH",
        collectHints(problem.index, situation),
      );
  }
}

function collectHints(index: number, { shown, text, edits }: EditSituation): string[] {
  const wanted = foldNewlines(edits[index]?.oldText ?? "");
  const hints: string[] = [];
  if (wanted.split("\n").every((line) => line === "" || /^\d+\|/.test(line))) {
    hints.push("old_text has the line numbers of read: leave out the number and the bar.");
  }
  if (wanted.includes("\ufffd")) {
    hints.push("\ufffd stands for a byte that is not UTF-8: choose an old_text without it.");
  }
  if (edits.some((edit, other) => other !== index && foldNewlines(edit.newText).includes(wanted))) {
    hints.push("All edits apply to the file as it is, not one after the other.");
  }
  if (shown.endsWith(".ipynb")) {
    hints.push(
      "A notebook is JSON on disk, not the cells that read shows: change it with python (nbformat or json).",
    );
  }
  const near = findNearMiss(foldNewlines(text), wanted);
  if (near !== undefined) {
    const { firstLine, lastLine, differsIn, differences } = near;
    const position =
      firstLine === lastLine ? `line ${firstLine} differs` : `lines ${firstLine}-${lastLine} differ`;
    hints.push(`Closest: ${position} in ${differsIn} (- old_text, + file):`, ...differences);
  }
  return hints;
}

function listLines(lines: readonly number[]): string {
  const rest = lines.length > MOST_LINES ? `, … ${lines.length - MOST_LINES} more` : "";
  return `${lines.slice(0, MOST_LINES).join(", ")}${rest}`;
}
