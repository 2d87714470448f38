/**
 * One line of a file as it may be drawn: colours and links are kept, every other escape sequence is removed, control characters are
 * shown as `^X`, tabs are spaces, matches of a search are reversed, and what is outside `left` to `left + width` is cut without
 * splitting a character.
 */

import { lastWritten } from "../text/lines.ts";

export interface ClipOptions {
  readonly left: number;
  readonly width: number;
  /** Drawn in reverse wherever it occurs. */
  readonly highlight?: { readonly text: string; readonly isExact: boolean } | undefined;
}

const TAB_STOP = 8;
const [ESC, BEL] = ["\x1b", "\x07"];
const [REVERSE, UNREVERSE] = ["\x1b[7m", "\x1b[27m"];

/** A control sequence, a command of the operating system, another string, or an escape and one character; also if it is cut off. */
const SEQUENCE = new RegExp(
  `(${ESC}(?:\\[[ -?]*[@-~]?|\\][^]*?(?:${BEL}|${ESC}\\\\|$)|[PX^_][^]*?(?:${ESC}\\\\|$)|[^]?))`,
);
/** Colours and links. */
const STYLE = new RegExp(`^${ESC}(?:\\[[\\d;:]*m|\\]8;[^]*(?:${BEL}|\\\\))$`);

export function clipLine(line: string, { left, width, highlight }: ClipOptions): string {
  if (width <= 0) return "";
  const safe = safeParts(lastWritten(line), left + width + (highlight?.text.length ?? 0));
  const marked = highlight === undefined || highlight.text === "" ? safe : markMatches(safe, highlight);
  const drawn = marked.join("");
  const clipped = Bun.sliceAnsi(drawn, left, left + width);
  // A wide character that starts inside and ends outside is included whole: it would cross the edge.
  return Bun.stringWidth(clipped) > width ? Bun.sliceAnsi(drawn, left, left + width - 1) : clipped;
}

/** Text and styles in turn, text first; of a long line, only as far as `columns`. */
function safeParts(line: string, columns: number): string[] {
  let column = 0;
  const parts = line.includes(ESC) ? line.split(SEQUENCE) : [line];
  return parts.map((part, at) => {
    if (at % 2 === 1) return STYLE.test(part) ? part : "";
    let safe = "";
    for (const [run] of part.matchAll(/\p{Cc}|\P{Cc}+/gu)) {
      if (column > columns) break;
      const shown =
        run === "\t" ? " ".repeat(TAB_STOP - (column % TAB_STOP)) : run.replace(/\p{Cc}/gu, caret);
      column += Bun.stringWidth(shown);
      safe += shown;
    }
    return safe;
  });
}

function caret(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 0x20) return `^${String.fromCharCode(code + 64)}`;
  return code === 0x7f ? "^?" : `<${code.toString(16)}>`;
}

function markMatches(
  parts: readonly string[],
  { text: needle, isExact }: { text: string; isExact: boolean },
): readonly string[] {
  const plain = parts.filter((_, at) => at % 2 === 0).join("");
  const hay = isExact ? plain : plain.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const isMarked = new Uint8Array(plain.length + 1);
  for (let at = hay.indexOf(needle); at !== -1; at = hay.indexOf(needle, at + needle.length))
    isMarked.fill(1, at, at + needle.length);
  let offset = 0;
  let isInside = false;
  const turn = (toInside: boolean): string => {
    if (toInside === isInside) return "";
    isInside = toInside;
    return toInside ? REVERSE : UNREVERSE;
  };
  const marked = parts.map((part, at) => {
    // A style inside a match must not end the marking.
    if (at % 2 === 1) return isInside ? part + REVERSE : part;
    let text = "";
    for (const unit of part.split("")) text += turn(isMarked[offset++] === 1) + unit;
    return text;
  });
  return [...marked, turn(false)];
}
