/** What a model is told of an input that is too large for its prompt, and what a person is told of where it went. */

import { formatSize, groupDigits } from "../format/numbers.ts";
import { attempt, type TextContent } from "../protocol/index.ts";
import { sampleOf } from "./input-sample.ts";
import type { LargeInput } from "./inputs.ts";

/** Shown of each end. */
const SHOWN_LINES = 10;
const SHOWN_CHARS = 2_000;
const LINE_CHARS = 300;

/** How the model can get at it. */
export interface InputReach {
  /** Whether its cells have `omp`. */
  readonly hasCells: boolean;
  /** Where the kernel is, when it does not see the user's files. */
  readonly elsewhere: string | undefined;
}

/** @param source as the user's words have it: `stdin`, `@data.csv`, `[Pasted text #1 +900 lines]`. */
export function describeInput(input: LargeInput, source: string, reach: InputReach): TextContent {
  const { name, path, bytes, lines, kind } = input;
  const facts = [
    `source=${JSON.stringify(source)}`,
    ...(reach.hasCells ? [`name="omp.inputs.${name}"`] : []),
    `bytes="${bytes}"`,
    `kind="${kind}"`,
    ...(lines === undefined ? [] : [`lines="${lines}"`]),
  ];
  const text = [
    `<input ${facts.join(" ")}>`,
    ...endsOf(input),
    "</input>",
    `[${source} is too large for the conversation. ${howToRead(name, path, reach)}]`,
  ].join("\n");
  const amount = lines === undefined ? "" : `, ${groupDigits(lines)} lines`;
  const place = reach.hasCells ? `omp.inputs.${name}` : path;
  return { type: "text", text, notice: `${source} (${formatSize(bytes)}${amount}) is ${place}` };
}

function howToRead(name: string, path: string, { hasCells, elsewhere }: InputReach): string {
  if (!hasCells) return `Read what you need of the file ${path}.`;
  const far = elsewhere === undefined ? "" : `, which the kernel ${elsewhere} fetches piece by piece`;
  return [
    `In cells omp.inputs.${name} reads it from disk when asked: \`for line in it\`, .head(n), .tail(n), .grep(regex) gives [(number, line)], \`"x" in it\`, .text(), .json(), .open(), .path, .size.`,
    `The file is ${path}${far}.`,
  ].join(" ");
}

/** Its first and last lines. */
function endsOf({ path, bytes, encoding, lines }: LargeInput): string[] {
  const sample = encoding && attempt(() => sampleOf(path, bytes));
  if (!sample) return [];
  const decoder = new TextDecoder(encoding);
  const head = shownLines(
    decoder
      .decode(sample.head)
      .split("\n", SHOWN_LINES + 1)
      .slice(0, SHOWN_LINES),
  );
  const all = decoder.decode(sample.tail).replace(/\n$/, "").split("\n");
  // The first line of the sample is the end of a longer one.
  const whole = all.length > SHOWN_LINES ? all.slice(-SHOWN_LINES) : all;
  const tail = shownLines(whole.toReversed(), (line) => `…${line.slice(-LINE_CHARS)}`).toReversed();
  const left =
    lines === undefined ? "…" : `… ${groupDigits(Math.max(0, lines - head.length - tail.length))} lines …`;
  return lines === 1 ? [...head, ...tail.slice(-1)] : [...head, `[${left}]`, ...tail];
}

function shownLines(
  lines: readonly string[],
  clipped: (line: string) => string = (line) => `${line.slice(0, LINE_CHARS)}…`,
): string[] {
  const shown: string[] = [];
  let chars = 0;
  for (const line of lines) {
    const plain = line.replace(/\r$/, "");
    const short = plain.length > LINE_CHARS ? clipped(plain) : plain;
    chars += short.length;
    if (shown.length > 0 && chars > SHOWN_CHARS) break;
    shown.push(short);
  }
  return shown;
}
