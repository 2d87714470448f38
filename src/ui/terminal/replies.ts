/**
 * What a terminal answers when it is asked what it can do, told apart from the keys that a person types meanwhile. Takes chunks as they
 * come, cut anywhere; what is no answer is given back unchanged, in order, and goes on as input.
 */

export type TerminalReply =
  /** Primary device attributes: what the terminal is; asked last, for every terminal answers it. */
  | { readonly kind: "attributes"; readonly parameters: readonly number[] }
  /** Which program it is, and which version. */
  | { readonly kind: "secondary attributes"; readonly parameters: readonly number[] }
  | { readonly kind: "background" | "foreground"; readonly color: RgbColor }
  /** 0 unknown, 1 set, 2 reset, 3 always set, 4 always reset. */
  | { readonly kind: "mode"; readonly mode: number; readonly state: number }
  | { readonly kind: "cell size" | "window size"; readonly width: number; readonly height: number }
  /** Pixels that a sixel picture can have; zeros where it was not understood. */
  | { readonly kind: "sixel size"; readonly width: number; readonly height: number }
  | { readonly kind: "kitty keyboard"; readonly flags: number }
  | { readonly kind: "kitty graphics"; readonly isSupported: boolean }
  | { readonly kind: "version"; readonly name: string };

/** Each channel 0 to 1. */
export interface RgbColor {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

export interface ParsedChunk {
  readonly replies: readonly TerminalReply[];
  /** Everything that was no reply. */
  readonly input: string;
}

const esc = "\x1b";
const bel = "\x07";
/** No answer is longer; a string that never ends is not waited for. */
const maxReplyCharacters = 4_096;

export class ReplyParser {
  #pending = "";

  push(chunk: string): ParsedChunk {
    const text = this.#pending + chunk;
    this.#pending = "";
    const replies: TerminalReply[] = [];
    let input = "";
    let from = 0;
    for (let at = text.indexOf(esc); at !== -1; at = text.indexOf(esc, from)) {
      input += text.slice(from, at);
      const end = sequenceEnd(text, at);
      if (end === undefined && text.length - at <= maxReplyCharacters) {
        this.#pending = text.slice(at);
        return { replies, input };
      }
      const sequence = text.slice(at, end ?? at + 1);
      const reply = parseReply(sequence);
      if (reply === undefined) input += sequence;
      else replies.push(reply);
      from = at + sequence.length;
    }
    return { replies, input: input + text.slice(from) };
  }

  /** Nothing more comes for now: what looked like the start of an answer was a key, such as Escape. */
  flush(): string {
    const pending = this.#pending;
    this.#pending = "";
    return pending;
  }
}

/** Where the sequence at `start` ends; undefined while it is not whole. */
function sequenceEnd(text: string, start: number): number | undefined {
  const kind = text[start + 1];
  if (kind === undefined) return undefined;
  if (kind === "[") {
    for (let at = start + 2; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code >= 0x40 && code <= 0x7e) return at + 1;
      // Not a sequence after all: the escape alone is a key.
      if (code < 0x20 || code > 0x7e) return start + 1;
    }
    return undefined;
  }
  if (!"]P_".includes(kind)) return start + 1;
  const terminator = text.indexOf(`${esc}\\`, start + 2);
  const bell = kind === "]" ? text.indexOf(bel, start + 2) : -1;
  if (bell !== -1 && (terminator === -1 || bell < terminator)) return bell + 1;
  return terminator === -1 ? undefined : terminator + 2;
}

function parseReply(sequence: string): TerminalReply | undefined {
  const body = sequence.slice(2);
  switch (sequence[1]) {
    case "[":
      return parseControl(body);
    case "]":
      return parseColor(withoutEnd(body));
    case "P":
      return body.startsWith(">|") ? { kind: "version", name: withoutEnd(body.slice(2)) } : undefined;
    case "_":
      return body.startsWith("G")
        ? { kind: "kitty graphics", isSupported: /;OK$/.test(withoutEnd(body)) }
        : undefined;
    default:
      return undefined;
  }
}

function withoutEnd(body: string): string {
  if (body.endsWith(bel)) return body.slice(0, -1);
  return body.endsWith(`${esc}\\`) ? body.slice(0, -2) : body;
}

function parseControl(body: string): TerminalReply | undefined {
  const found = /^([?>])?([\d;]*)(\$y|[cutS])$/.exec(body);
  if (found === null) return undefined;
  const [, mark, list = "", final] = found;
  const parameters = list.split(";").map(Number);
  const [first = 0, second = 0, third = 0, fourth = 0] = parameters;
  if (mark === "?" && final === "c") return { kind: "attributes", parameters };
  if (mark === ">" && final === "c") return { kind: "secondary attributes", parameters };
  if (mark === "?" && final === "$y") return { kind: "mode", mode: first, state: second };
  if (mark === "?" && final === "u") return { kind: "kitty keyboard", flags: first };
  if (mark === "?" && final === "S") {
    const isSize = first === 2 && second === 0;
    return { kind: "sixel size", width: isSize ? third : 0, height: isSize ? fourth : 0 };
  }
  if (mark === undefined && final === "t" && parameters.length === 3) {
    if (first === 6) return { kind: "cell size", height: second, width: third };
    if (first === 4) return { kind: "window size", height: second, width: third };
  }
  return undefined;
}

function parseColor(body: string): TerminalReply | undefined {
  const found = /^(10|11);(.*)$/.exec(body);
  if (found === null) return undefined;
  const color = parseRgb(found[2] ?? "");
  return color && { kind: found[1] === "11" ? "background" : "foreground", color };
}

/** `rgb:ffff/0000/8080` with one to four digits a channel, `rgba:…`, or `#rrggbb`. */
export function parseRgb(text: string): RgbColor | undefined {
  const channels =
    /^rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})/i.exec(text) ??
    /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(text);
  if (channels === null) return undefined;
  const [red = 0, green = 0, blue = 0] = channels
    .slice(1, 4)
    .map((digits) => Number.parseInt(digits, 16) / (16 ** digits.length - 1));
  return { red, green, blue };
}
