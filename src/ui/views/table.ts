/** Two columns: a name, and a text that wraps inside its own column, or below the name where that is too narrow. */

import type { TableRow } from "../store/state.ts";
import { plainText, widthOf, wrap } from "../text/lines.ts";
import type { View } from "../view.ts";

const MARGIN = 2;
const GAP = 2;
/** Narrower columns of words are hard to read. */
const LEAST_COLUMNS = 24;

export function tableLines(rows: readonly TableRow[], { theme, width }: View): string[] {
  const names = Math.max(0, ...rows.map(([name]) => widthOf(name)));
  const indent = MARGIN + names + GAP;
  const isBeneath = width - indent < LEAST_COLUMNS;
  return rows.flatMap(([rawName, rawText]) => {
    const [name, text] = [plainText(rawName), plainText(rawText)];
    const margin = " ".repeat(MARGIN);
    if (isBeneath) {
      const below =
        text === "" ? [] : wrap(text, width - 2 * MARGIN).map((line) => margin + margin + theme.dim(line));
      return [...wrap(name, width - MARGIN).map((line) => margin + line), ...below];
    }
    const [first = "", ...rest] = wrap(text, width - indent);
    const head = `${margin}${name}${" ".repeat(names - widthOf(name) + GAP)}${first}`.trimEnd();
    return [head, ...rest.map((line) => " ".repeat(indent) + line)];
  });
}
