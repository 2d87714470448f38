/**
 * One line of a file as it may be drawn: colours and links are kept, every other escape sequence goes, controls are shown as `^X`, tabs
 * are spaces, matches of a search stand out, and what does not fit between `left` and `left + width` is cut without splitting a character.
 */

export interface ClipOptions {
  readonly left: number;
  readonly width: number;
  /** Drawn in reverse wherever it occurs. */
  readonly highlight?: { readonly text: string; readonly isExact: boolean } | undefined;
}

const tabStop = 8;
const esc = "\x1b";
const bel = "\x07";
const reverse = "\x1b[7m";
const unreverse = "\x1b[27m";

export function clipLine(line: string, { left, width, highlight }: ClipOptions): string {
  if (width <= 0) return "";
  const safe = safeLine(lastWritten(line), left + width + (highlight?.text.length ?? 0));
  const marked = highlight === undefined || highlight.text === "" ? safe : highlighted(safe, highlight);
  const clipped = Bun.sliceAnsi(marked, left, left + width);
  // A wide character that begins inside and ends outside is given whole: it would go over the edge.
  return Bun.stringWidth(clipped) > width ? Bun.sliceAnsi(marked, left, left + width - 1) : clipped;
}

/** What a terminal would show of a line that a progress bar has written over: the last thing written. */
function lastWritten(line: string): string {
  const trimmed = line.endsWith("\r") ? line.slice(0, -1) : line;
  const at = trimmed.lastIndexOf("\r");
  return at === -1 ? trimmed : trimmed.slice(at + 1);
}

type Piece = { readonly kind: "text" | "style"; readonly text: string };

/** Text and escape sequences, one after the other. An escape that begins no sequence we know is one character of text. */
function* piecesOf(line: string): Generator<Piece> {
  let from = 0;
  for (let at = line.indexOf(esc); at !== -1; at = line.indexOf(esc, from)) {
    if (at > from) yield { kind: "text", text: line.slice(from, at) };
    const end = sequenceEnd(line, at);
    const sequence = line.slice(at, end);
    if (isStyle(sequence)) yield { kind: "style", text: sequence };
    from = end;
  }
  if (from < line.length) yield { kind: "text", text: line.slice(from) };
}

function sequenceEnd(line: string, start: number): number {
  const kind = line[start + 1];
  if (kind === "[") {
    let at = start + 2;
    // Parameters and intermediates, then one final byte.
    while (at < line.length && line.charCodeAt(at) >= 0x20 && line.charCodeAt(at) < 0x40) at++;
    // Anything but a final byte breaks the sequence off, and belongs to what follows.
    const isFinal = line.charCodeAt(at) >= 0x40 && line.charCodeAt(at) <= 0x7e;
    return isFinal ? at + 1 : at;
  }
  if (kind !== undefined && "]PX^_".includes(kind)) {
    const bell = kind === "]" ? line.indexOf(bel, start) : -1;
    const terminator = line.indexOf(`${esc}\\`, start);
    if (bell !== -1 && (terminator === -1 || bell < terminator)) return bell + 1;
    return terminator === -1 ? line.length : terminator + 2;
  }
  return Math.min(line.length, start + 2);
}

function isStyle(sequence: string): boolean {
  if (sequence.startsWith(`${esc}[`)) return /^[\d;:]*m$/.test(sequence.slice(2));
  return sequence.startsWith(`${esc}]8;`) && (sequence.endsWith(bel) || sequence.endsWith("\\"));
}

/** Only as far as `columns`: of a long line the rest is never looked at. */
function safeLine(line: string, columns: number): string {
  let column = 0;
  let safe = "";
  for (const { kind, text } of piecesOf(line)) {
    if (kind === "style") {
      safe += text;
      continue;
    }
    for (const [run] of text.matchAll(/\p{Cc}|\P{Cc}+/gu)) {
      if (column > columns) return safe;
      const shown = run === "\t" ? " ".repeat(tabStop - (column % tabStop)) : run.replace(/\p{Cc}/gu, caret);
      column += Bun.stringWidth(shown);
      safe += shown;
    }
  }
  return safe;
}

function caret(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 0x20) return `^${String.fromCharCode(code + 64)}`;
  return code === 0x7f ? "^?" : `<${code.toString(16)}>`;
}

function highlighted(line: string, { text: needle, isExact }: { text: string; isExact: boolean }): string {
  const pieces = [...piecesOf(line)];
  const plain = pieces.map(({ kind, text }) => (kind === "text" ? text : "")).join("");
  const hay = isExact ? plain : plain.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  /** Where marking begins (true) and ends (false), in the plain text. */
  const edges = new Map<number, boolean>();
  for (let at = hay.indexOf(needle); at !== -1; at = hay.indexOf(needle, at + needle.length)) {
    edges.set(at, true).set(at + needle.length, false);
  }
  if (edges.size === 0) return line;
  let offset = 0;
  let isInside = false;
  let marked = "";
  for (const { kind, text } of pieces) {
    if (kind === "style") {
      // A style inside a match must not end the marking.
      marked += isInside ? text + reverse : text;
      continue;
    }
    for (const part of split(text, offset, [...edges.keys()])) {
      const next = edges.get(offset);
      if (next !== undefined && next !== isInside) {
        marked += next ? reverse : unreverse;
        isInside = next;
      }
      marked += part;
      offset += part.length;
    }
  }
  return isInside ? marked + unreverse : marked;
}

function split(text: string, offset: number, edges: readonly number[]): string[] {
  const inside = edges.filter((edge) => edge > offset && edge < offset + text.length).sort((a, b) => a - b);
  const stops = [...inside, offset + text.length];
  let from = offset;
  return stops.map((stop) => {
    const part = text.slice(from - offset, stop - offset);
    from = stop;
    return part;
  });
}
