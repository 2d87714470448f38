/**
 * What a terminal answers when it is asked what it can do, separated from the keys that the user types meanwhile. Takes chunks cut
 * anywhere; what is no answer is returned unchanged, in order, as input.
 */

export type TerminalReply =
  /** Primary device attributes: what the terminal is; asked last, as every terminal answers it. */
  | { readonly kind: "attributes"; readonly parameters: readonly number[] }
  /** Which program it is, and which version. */
  | { readonly kind: "secondary attributes"; readonly parameters: readonly number[] }
  | { readonly kind: "background"; readonly color: RgbColor }
  /** In pixels, of one cell or of the largest sixel picture; zeros where the question was not understood. */
  | { readonly kind: "cell size" | "sixel size"; readonly width: number; readonly height: number }
  | { readonly kind: "kitty keyboard"; readonly flags: number }
  | { readonly kind: "kitty graphics"; readonly isSupported: boolean }
  | { readonly kind: "version"; readonly name: string };

/** Each channel 0 to 1. */
export type RgbColor = Readonly<Record<"red" | "green" | "blue", number>>;

export interface ParsedChunk {
  readonly replies: readonly TerminalReply[];
  /** Everything else. */
  readonly input: string;
}

const [ESC, BEL] = ["\x1b", "\x07"];
/** No answer is longer; a string that never ends is not waited for. */
const MAX_REPLY_CHARACTERS = 4_096;

export class ReplyParser {
  #pending = "";

  push(chunk: string): ParsedChunk {
    const text = this.#pending + chunk;
    this.#pending = "";
    const replies: TerminalReply[] = [];
    let input = "";
    let from = 0;
    for (let at = text.indexOf(ESC); at !== -1; at = text.indexOf(ESC, from)) {
      input += text.slice(from, at);
      const end = sequenceEnd(text, at);
      if (end === undefined && text.length - at <= MAX_REPLY_CHARACTERS) {
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

  /** Nothing more has arrived: what looked like the start of an answer was a key, such as Escape. */
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
    const length = text.slice(start + 2).search(/[^ -?]/);
    if (length === -1) return undefined;
    const end = start + 2 + length;
    // Anything else in its last position is no sequence: the escape alone is a key.
    return /[@-~]/.test(text.charAt(end)) ? end + 1 : start + 1;
  }
  if (!"]P_".includes(kind)) return start + 1;
  const terminator = text.indexOf(`${ESC}\\`, start + 2);
  const bell = kind === "]" ? text.indexOf(BEL, start + 2) : -1;
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
  if (body.endsWith(BEL)) return body.slice(0, -1);
  return body.endsWith(`${ESC}\\`) ? body.slice(0, -2) : body;
}

function parseControl(body: string): TerminalReply | undefined {
  const found = /^([?>])?([\d;]*)([cutS])$/.exec(body);
  if (found === null) return undefined;
  const [, mark, list = "", final] = found;
  const parameters = list.split(";").map(Number);
  const [first = 0, second = 0, third = 0, fourth = 0] = parameters;
  if (mark === "?" && final === "c") return { kind: "attributes", parameters };
  if (mark === ">" && final === "c") return { kind: "secondary attributes", parameters };
  if (mark === "?" && final === "u") return { kind: "kitty keyboard", flags: first };
  if (mark === "?" && final === "S") {
    const isSize = first === 2 && second === 0;
    return { kind: "sixel size", width: isSize ? third : 0, height: isSize ? fourth : 0 };
  }
  const isCellSize = mark === undefined && final === "t" && parameters.length === 3 && first === 6;
  return isCellSize ? { kind: "cell size", height: second, width: third } : undefined;
}

function parseColor(body: string): TerminalReply | undefined {
  const color = body.startsWith("11;") ? parseRgb(body.slice(3)) : undefined;
  return color && { kind: "background", color };
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
