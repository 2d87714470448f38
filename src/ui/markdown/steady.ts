/**
 * A text that is still being written, made ready to show: what would look different in a moment is held back or closed. A table appears
 * with its second line and then grows by whole rows; a fence never shows its backticks; half a `**bold` is already bold.
 */

/** What can be shown of an unfinished text. */
export function steadyText(text: string): string {
  const lineStart = text.lastIndexOf("\n") + 1;
  const before = text.slice(0, lineStart);
  const last = text.slice(lineStart);
  const fence = openFence(before);
  if (fence !== undefined) return isPartOfFence(last, fence) ? before : text;
  if (isOpeningFence(last) || isOnlyMarker(last)) return before;
  const table = tableBefore(before);
  if (table !== undefined) {
    // Rows are shown whole; a first line alone may still be a sentence with bars in it.
    if (last.trimStart().startsWith("|")) return table.hasRule ? before : before.slice(0, table.start);
    return table.hasRule || last !== "" ? before + closedInline(last) : before.slice(0, table.start);
  }
  if (last.trimStart().startsWith("|")) return before;
  return before + closedInline(last);
}

/**
 * Whether more text only adds lines to those that are shown: no mark of emphasis, code or a link is open whose other end could change what
 * is before it, and no table, whose columns grow with its rows.
 */
export function isPlainSoFar(text: string): boolean {
  if (steadyText(text) !== text) return false;
  const prose = text.replace(FENCED, "").replace(/^[ \t]*[*+-] (?:\[[ xX]\] )?/gm, "");
  if (/^[ \t]*[|<]/m.test(prose) || /<[^>\s][^>]*$|\]\([^)]*$/.test(prose)) return false;
  const isEven = (mark: RegExp) => (prose.match(mark)?.length ?? 0) % 2 === 0;
  const count = (sign: string) => prose.split(sign).length;
  return (
    isEven(/`+/g) &&
    isEven(/\*+/g) &&
    isEven(/~~/g) &&
    isEven(/(?<!\w)_|_(?!\w)/g) &&
    count("[") === count("]")
  );
}

/** Also one that is not closed yet. */
const FENCED = /^[ \t>]*(`{3,}|~{3,})[^\n]*\n(?:[\s\S]*?^[ \t>]*\1[`~]*[ \t]*$|[\s\S]*$)/gm;

/** What a text has to start with to go on as the text before it ends: in the same code or table. */
export function continuation(before: string): string {
  const line = openFenceLine(before);
  if (line !== undefined) return `${line}\n`;
  const table = tableBefore(before);
  if (table === undefined || !table.hasRule) return "";
  const [header = "", rule = ""] = before.slice(table.start).split("\n");
  return `${header}\n${rule}\n`;
}

/** The backticks or tildes of the fence that the text ends in. */
function openFence(before: string): string | undefined {
  return /`{3,}|~{3,}/.exec(openFenceLine(before) ?? "")?.[0];
}

/** The line that opened it. */
function openFenceLine(before: string): string | undefined {
  let fence: string | undefined;
  let line: string | undefined;
  for (const [all, markers = "", info = ""] of before.matchAll(/^[ \t>*+-]*(`{3,}|~{3,})([^\n]*)$/gm)) {
    if (fence === undefined) {
      if (!markers.startsWith("`") || !info.includes("`")) [fence, line] = [markers, all];
    } else if (markers[0] === fence[0] && markers.length >= fence.length && info.trim() === "")
      [fence, line] = [undefined, undefined];
  }
  return line;
}

function isPartOfFence(line: string, fence: string): boolean {
  const trimmed = line.trim();
  return trimmed !== "" && [...trimmed].every((marker) => marker === fence[0]);
}

/** Up to its line feed: the language is not shown letter by letter. */
function isOpeningFence(line: string): boolean {
  return /^[ \t>*+-]*(?:`{1,2}$|~{2}$|`{3,}[^`]*$|~{3,})/.test(line);
}

/** A marker without its text: it could be a heading, an item, a rule, or turn the line above into a heading. */
function isOnlyMarker(line: string): boolean {
  return (
    /^[ \t]*(?:[-=*+#>_ \t]+|\d{1,9}[.)]?[ \t]*|[-*+][ \t]+\[[ xX]?\]?[ \t]*)$/.test(line) &&
    line.trim() !== ""
  );
}

/** The lines with bars that the text ends with, and whether the line under the header is among them. */
function tableBefore(before: string): { start: number; hasRule: boolean } | undefined {
  const lines = /(?:^[ \t]*\|[^\n]*\n)+$/m.exec(before);
  if (lines === null) return undefined;
  const rule = lines[0].split("\n")[1] ?? "";
  return { start: lines.index, hasRule: /^[ \t|:-]*-[ \t|:-]*$/.test(rule) };
}

/** Emphasis, code and links that are open at the end of the line, closed; a marker that has just started is left out. */
function closedInline(line: string): string {
  let text = line.replace(/!?\[([^\]]*)\]\([^)]*$/, "$1");
  const ticks = text.match(/`+/g) ?? [];
  const openTicks = ticks.length % 2 === 1 ? (ticks.at(-1) ?? "") : "";
  if (openTicks !== "") return text.endsWith(openTicks) ? text.slice(0, -openTicks.length) : text + openTicks;
  text = text.replace(/[*_~]+$/, (markers) =>
    isClosing(text.slice(0, -markers.length), markers) ? markers : "",
  );
  const plain = text.replace(/`[^`]*`/g, "");
  for (const marker of ["**", "~~", "*"]) {
    const count =
      plain.split(marker === "*" ? /(?<!\*)\*(?!\*)(?=\S)|(?<=\S)(?<!\*)\*(?!\*)/ : marker).length - 1;
    // A space before the closing marker would make it no closing marker.
    if (count % 2 === 1) text = text.trimEnd() + marker;
  }
  return text;
}

function isClosing(before: string, markers: string): boolean {
  return before.split(markers).length % 2 === 0;
}
