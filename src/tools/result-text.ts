/** Puts a result's output together for the model, and records which of its lines are omp's words and what a person reads instead. */

import type { CapturedOutput } from "../output/sink.ts";
import type { OutputSegment, ToolDetails } from "../protocol/index.ts";

const NO_OUTPUT = "(no output)";

export class ResultText {
  readonly #lines: string[] = [];
  readonly #segments: OutputSegment[] = [];

  get lineCount(): number {
    return this.#lines.length;
  }

  /** What a program printed. @param segments of its lines; one when not given. */
  print(text: string, segments?: readonly OutputSegment[]): void {
    if (text === "") return;
    const lines = text.split("\n");
    this.#lines.push(...lines);
    this.#segments.push(...(segments ?? [{ lines: lines.length }]));
  }

  /** Words for the model. @param shown what a person reads instead: nothing where the details say it. */
  note(text: string | undefined, shown = ""): void {
    if (text === undefined || text === "") return;
    const lines = text.split("\n");
    this.#lines.push(...lines);
    this.#segments.push({ lines: lines.length, note: shown });
  }

  /** A line for the model before the line of this number, of those that are here already. */
  insertNote(line: number, text: string): void {
    this.#lines.splice(line, 0, text);
    let from = 0;
    const index = this.#segments.findIndex(({ lines }) => {
      if (line < from + lines) return true;
      from += lines;
      return false;
    });
    const cut = this.#segments[index];
    const added = { lines: 1, note: "" };
    if (cut === undefined) this.#segments.push(added);
    else {
      const before = line - from;
      const parts = [{ ...cut, lines: before }, added, { ...cut, lines: cut.lines - before }];
      this.#segments.splice(index, 1, ...parts.filter(({ lines }) => lines > 0));
    }
  }

  /** A sentence that a person reads, too. */
  remark(sentence: string | undefined): void {
    if (sentence !== undefined) this.note(`[${sentence}]`, sentence);
  }

  /** What a program printed, followed by what is missing from it. */
  printCaptured({ text, notice }: CapturedOutput): void {
    this.print(text.replace(/\r?\n$/, ""));
    this.note(notice);
  }

  get output(): string {
    return this.#lines.length === 0 ? NO_OUTPUT : this.#lines.join("\n");
  }

  /** Empty when a program printed all of it. */
  get details(): Pick<ToolDetails, "segments"> {
    if (this.#lines.length === 0) return { segments: [{ lines: 1, note: NO_OUTPUT, isQuiet: true }] };
    const isPlain = this.#segments.every(({ note, cell }) => note === undefined && cell === undefined);
    return isPlain ? {} : { segments: this.#segments };
  }
}

/** What is to be known of captured output, beside its text. */
export function captureDetails(captured: CapturedOutput): ToolDetails {
  const { truncated, shortened, totalBytes, totalLines, artifact, artifactProblem, binary } = captured;
  return {
    truncated: truncated || shortened === true,
    totalBytes,
    totalLines,
    ...(artifact === undefined ? {} : { artifact }),
    ...(artifactProblem === undefined ? {} : { artifactProblem }),
    ...(binary ? { binary } : {}),
  };
}
