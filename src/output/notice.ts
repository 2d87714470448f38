/** The one line that tells what the text leaves out and where the whole of it is. */

import type { ArtifactProblem } from "./artifact-writer.ts";
import { grouped } from "./grouped-number.ts";
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
  if (cut !== undefined) parts.push(`output cut: ${shown(cut, facts)}`);
  else if (binary) parts.push("binary output is not shown");
  const incomplete = parts.length > 0;
  if (problem?.kind === "given-up") {
    parts.push(
      `the ${incomplete ? "full output" : "output"} could not be kept as an artifact (${problem.code})`,
    );
  } else if (facts.artifact !== undefined && problem?.kind === "full") {
    parts.push(`artifact://${facts.artifact} holds only the first ${grouped(problem.bytes)} bytes`);
  } else if (facts.artifact !== undefined && incomplete) {
    parts.push(`full output: artifact://${facts.artifact}`);
  }
  return parts.length === 0 ? undefined : `[${parts.join("; ")}]`;
}

export function binaryNote({ bytes, type }: { readonly bytes: number; readonly type: string }): string {
  return `[binary output: ${counted(bytes, "byte")}, ${type}]`;
}

function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

function shown(cut: CutFacts, { totalBytes, totalLines, binary }: NoticeFacts): string {
  const bytes = counted(totalBytes, "byte");
  if (cut.keep === "head") {
    return `showing the first ${counted(cut.characters, "character")} of ${counted(totalLines, "line")}, ${bytes}`;
  }
  if (cut.keep === "middle") {
    return `${grouped(cut.cutBytes)} of ${grouped(cut.totalBytes)} bytes left out in the middle`;
  }
  const characters = counted(cut.characters, "character");
  if (cut.partialLine) {
    const lines = totalLines === 1 ? "the only line" : "the last line";
    return `showing the last ${characters} of ${lines}, which is cut (${counted(totalLines, "line")}, ${bytes} in all)`;
  }
  // Lines inside binary stretches are counted in the total, but none of them was ever a line of text.
  const lines = binary
    ? `${grouped(cut.lines)} lines`
    : `${grouped(cut.lines)} of ${grouped(totalLines)} lines`;
  return `showing the last ${lines}, ${characters} of ${bytes}`;
}
