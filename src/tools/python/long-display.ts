/**
 * Displays that are too long for the model: both ends of each block stay, and with the first lines the column names of a table. A wide
 * data frame is several blocks, each with some of the columns.
 */

import { count } from "../../format/numbers.ts";

const MAX_CHARS = 15_000;
const MAX_LINES = 1_000;
/** Of what is shown of one that is too long. */
const SHOWN_CHARS = 8_000;
const LEAST_LINES = 10;
const MOST_LINES = 80;

/** Undefined for a text that is short enough. @param whole where all of it is, for the line that says what is left out. */
export function shortenDisplay(text: string, whole: string | undefined): string | undefined {
  const where = whole === undefined ? "" : `; all of it: ${whole}`;
  const lines = text.split("\n");
  if (text.length <= MAX_CHARS && lines.length <= MAX_LINES) return undefined;
  const blocks = text.split("\n\n");
  const lineChars = Math.max(1, text.length / lines.length);
  const fitting = Math.floor(SHOWN_CHARS / lineChars / blocks.length);
  const shown = Math.min(MOST_LINES, Math.max(LEAST_LINES, fitting));
  return blocks.map((block) => cutLines(cutLongLines(block, where), shown, where)).join("\n\n");
}

function cutLines(block: string, shown: number, where: string): string {
  const lines = block.split("\n");
  const left = lines.length - shown;
  if (left <= 1) return block;
  const tail = Math.floor(shown / 2);
  const note = `[… ${count(left, "line")} left out${where} …]`;
  return [...lines.slice(0, shown - tail), note, ...lines.slice(-tail)].join("\n");
}

function cutLongLines(block: string, where: string): string {
  if (block.length <= SHOWN_CHARS) return block;
  return block
    .split("\n")
    .map((line) => {
      const left = line.length - SHOWN_CHARS;
      if (left <= 0) return line;
      const note = `[… ${count(left, "character")} left out${where} …]`;
      const [head, tail] = [line.slice(0, SHOWN_CHARS / 2), line.slice(-SHOWN_CHARS / 2)];
      return `${head.toWellFormed()}${note}${tail.toWellFormed()}`;
    })
    .join("\n");
}
