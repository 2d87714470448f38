/** The lines that say what the text leaves out, where all of it is, and what went wrong with that. */

import { count, groupDigits } from "../format/numbers.ts";
import { errorLine } from "../protocol/index.ts";
import type { ArtifactProblem } from "./artifact-writer.ts";
import type { CutFacts } from "./truncation.ts";

export interface NoticeFacts {
  readonly cut: CutFacts | undefined;
  readonly binary: boolean;
  readonly totalBytes: number;
  readonly totalLines: number;
  /** The id, when there is a file. */
  readonly artifact: string | undefined;
  readonly problem: ArtifactProblem | undefined;
}

export function noticeLine(facts: NoticeFacts): string | undefined {
  const { cut, binary, problem } = facts;
  const parts: string[] = [];
  if (cut !== undefined) parts.push(`output cut: ${describeCut(cut, facts)}`);
  else if (binary) parts.push("binary output not shown");
  const incomplete = parts.length > 0;
  if (facts.artifact !== undefined && problem?.kind === "full") {
    parts.push(`artifact://${facts.artifact} holds only the first ${count(problem.bytes, "byte")}`);
  } else if (facts.artifact !== undefined && incomplete) {
    parts.push(`full output: artifact://${facts.artifact}`);
  }
  const error =
    problem?.kind === "given-up"
      ? errorLine({ operation: "artifact", issue: "the full output could not be kept", code: problem.code })
      : undefined;
  const lines = [parts.length === 0 ? undefined : `[${parts.join("; ")}]`, error];
  return lines.filter((line) => line !== undefined).join("\n") || undefined;
}

export function binaryNote({ bytes, type }: { readonly bytes: number; readonly type: string }): string {
  return `[binary output: ${count(bytes, "byte")}, ${type}]`;
}

function describeCut(cut: CutFacts, { totalBytes, totalLines, binary }: NoticeFacts): string {
  const bytes = count(totalBytes, "byte");
  if (cut.keep === "head") {
    return `showing the first ${count(cut.characters, "character")} of ${count(totalLines, "line")}, ${bytes}`;
  }
  if (cut.keep === "middle") {
    return `${groupDigits(cut.cutBytes)} of ${count(cut.totalBytes, "byte")} left out in the middle`;
  }
  const characters = count(cut.characters, "character");
  if (cut.partialLine) {
    const lines = totalLines === 1 ? "the only line" : "the last line";
    return `showing the last ${characters} of ${lines}, which is cut (${count(totalLines, "line")}, ${bytes} in all)`;
  }
  // Lines inside binary stretches are counted in the total, but none of them was ever a line of text.
  const lines = binary
    ? count(cut.lines, "line")
    : `${groupDigits(cut.lines)} of ${count(totalLines, "line")}`;
  const start = cut.table === undefined ? "" : `the first ${count(cut.table.shown, "line")} of a table and `;
  return `showing ${start}the last ${lines}, ${characters} of ${bytes}`;
}
