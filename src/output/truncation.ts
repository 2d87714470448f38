/**
 * How much of a long text the model sees, and what is said about the rest. Pure: the keepers take text piece by piece in
 * bounded memory, and give what the policy would give for all of it at once.
 */

import { count } from "../format/numbers.ts";
import { cutHeadBytes, cutTail, cutTailBytes } from "./cut.ts";
import { Ending } from "./ending.ts";
import { isHighSurrogate } from "./utf8.ts";

/** Characters are UTF-16 units; a pair is never split. */
export type TruncationPolicy =
  | { readonly keep: "tail"; readonly maxChars: number; readonly maxLines: number }
  | { readonly keep: "head"; readonly maxChars: number }
  | { readonly keep: "middle"; readonly maxBytes: number };

/** `python` and `bash`: the end matters most. */
export const modelTail: TruncationPolicy = { keep: "tail", maxChars: 30_000, maxLines: 2_000 };
/** `python_run`. */
export const scriptStdoutHead: TruncationPolicy = { keep: "head", maxChars: 50_000 };
export const scriptStderrHead: TruncationPolicy = { keep: "head", maxChars: 10_000 };
/** `exec`: start and end of stdout and stderr together. */
export const execMiddle = { keep: "middle", maxBytes: 1024 * 1024 } as const satisfies TruncationPolicy;

/** What was kept of a text that was too long. */
export type CutFacts =
  | {
      readonly keep: "tail";
      readonly lines: number;
      readonly characters: number;
      readonly partialLine: boolean;
    }
  | { readonly keep: "head"; readonly characters: number }
  | { readonly keep: "middle"; readonly cutBytes: number; readonly totalBytes: number };

export interface KeptText {
  readonly text: string;
  /** Nothing when the text is whole. */
  readonly cut: CutFacts | undefined;
}

export interface Keeper {
  /** Text, or the UTF-8 of whole characters of it. */
  append(text: string | Buffer): void;
  finish(): KeptText;
}

export function truncate(text: string, policy: TruncationPolicy): KeptText {
  const keeper = createKeeper(policy);
  keeper.append(text);
  return keeper.finish();
}

export function createKeeper(policy: TruncationPolicy): Keeper {
  switch (policy.keep) {
    case "tail":
      return new TailKeeper(policy);
    case "head":
      return new HeadKeeper(policy);
    case "middle":
      return new MiddleKeeper(policy);
  }
}

/** The most bytes that a UTF-16 unit takes in UTF-8. */
const BYTES_PER_UNIT = 3;

class TailKeeper implements Keeper {
  readonly #policy: { readonly maxChars: number; readonly maxLines: number };
  readonly #ending: Ending;

  constructor(policy: { readonly maxChars: number; readonly maxLines: number }) {
    this.#policy = policy;
    // One character more than is kept shows whether the cut falls on the start of a line.
    this.#ending = new Ending((policy.maxChars + 1) * BYTES_PER_UNIT);
  }

  append(text: string | Buffer): void {
    this.#ending.append(text);
  }

  finish(): KeptText {
    const text = this.#ending.bytes().toString("utf8");
    const { start, lines, partialLine } = cutTail(text, this.#policy);
    if (this.#ending.whole && start === 0) return { text, cut: undefined };
    const kept = text.slice(start);
    return { text: kept, cut: { keep: "tail", lines, characters: kept.length, partialLine } };
  }
}

class HeadKeeper implements Keeper {
  readonly #maxChars: number;
  #text = "";
  #cut = false;

  constructor({ maxChars }: { readonly maxChars: number }) {
    this.#maxChars = maxChars;
  }

  append(piece: string | Buffer): void {
    if (this.#cut || piece.length === 0) return;
    const text = typeof piece === "string" ? piece : piece.toString("utf8");
    const room = this.#maxChars - this.#text.length;
    this.#cut = text.length > room;
    const splitsPair = this.#cut && room > 0 && isHighSurrogate(text.charCodeAt(room - 1));
    this.#text += text.slice(0, splitsPair ? room - 1 : room);
  }

  finish(): KeptText {
    const cut = this.#cut ? ({ keep: "head", characters: this.#text.length } as const) : undefined;
    return { text: this.#text, cut };
  }
}

class MiddleKeeper implements Keeper {
  readonly #maxBytes: number;
  readonly #headBytes: number;
  /** All of the text as long as it may be whole; only its start is used after that. */
  readonly #beginning: Buffer[] = [];
  #beginningBytes = 0;
  readonly #ending: Ending;
  #totalBytes = 0;

  constructor({ maxBytes }: { readonly maxBytes: number }) {
    this.#maxBytes = maxBytes;
    this.#headBytes = Math.floor(maxBytes / 2);
    // Some more than is kept, to see whether the cut falls on a line's start and to step over half a character.
    this.#ending = new Ending(maxBytes - this.#headBytes + 4);
  }

  append(piece: string | Buffer): void {
    if (this.#beginningBytes <= this.#maxBytes) {
      const bytes = Buffer.from(piece);
      this.#beginning.push(bytes);
      this.#beginningBytes += bytes.length;
    }
    this.#totalBytes += typeof piece === "string" ? Buffer.byteLength(piece) : piece.length;
    this.#ending.append(piece);
  }

  finish(): KeptText {
    const beginning = Buffer.concat(this.#beginning);
    if (this.#totalBytes <= this.#maxBytes) return { text: beginning.toString("utf8"), cut: undefined };
    const head = cutHeadBytes(beginning, this.#headBytes);
    const tail = cutTailBytes(this.#ending.bytes(), this.#maxBytes - this.#headBytes);
    const cutBytes = this.#totalBytes - head.length - tail.length;
    const ownLine = head.length === 0 || head[head.length - 1] === 0x0a ? "" : "\n";
    const text = `${head}${ownLine}[… ${count(cutBytes, "byte")} cut here …]\n${tail}`;
    return { text, cut: { keep: "middle", cutBytes, totalBytes: this.#totalBytes } };
  }
}
