/**
 * Typed letters on the screen at once. React and Ink need two milliseconds for a frame, and draw at most every eight; most keys change only the
 * line that the cursor is in. Such a line is written here, past them; they follow a moment later, when no more keys come, and write it once more.
 * The cursor stays in its row, and rows are all that Ink counts.
 */

import type { PromptKeys } from "../input/prompt-keys.ts";
import type { PromptState } from "../input/prompt-state.ts";
import { fitLine, hasUnsureWidth } from "../terminal/line-placeholders.ts";
import { widthOf } from "../text/lines.ts";
import type { Block } from "../view.ts";

/** Longer than the pauses in a burst of keys, and too short to be seen. */
const FOLLOW_MS = 30;

/** A frame, and how the same frame looks with another prompt. */
export interface Drawing {
  readonly block: Block;
  readonly width: number;
  readonly with: (prompt: PromptState) => Block;
  /** Nothing but the prompt has changed since. */
  readonly isCurrent: () => boolean;
}

export interface KeyEchoOptions {
  readonly keys: PromptKeys;
  readonly write: (text: string) => void;
  /** Called with what is on the screen, and what was there before. */
  readonly onEchoed: (block: Block, before: Block) => void;
}

export class KeyEcho {
  readonly #options: KeyEchoOptions;
  /** The frame that was made last; Ink may not have written it yet. */
  #drawing: Drawing | undefined;
  #isWritten = false;
  #following: ReturnType<typeof setTimeout> | undefined;

  constructor(options: KeyEchoOptions) {
    this.#options = options;
  }

  /** To be called with every frame, before Ink gets it. */
  draw(drawing: Drawing): void {
    this.#drawing = drawing;
    this.#isWritten = false;
  }

  /** To be called when Ink has written it. */
  readonly written = (): void => {
    this.#isWritten = true;
  };

  /** Like that of the keys, but later where the key has been echoed. */
  readonly subscribe = (listener: () => void): (() => void) => {
    const unsubscribe = this.#options.keys.subscribe(() => {
      clearTimeout(this.#following);
      if (this.#echo()) this.#following = setTimeout(listener, FOLLOW_MS);
      else listener();
    });
    return () => {
      clearTimeout(this.#following);
      unsubscribe();
    };
  };

  #echo(): boolean {
    const drawing = this.#drawing;
    if (!this.#isWritten || !drawing?.isCurrent()) return false;
    const block = this.#blockOf(drawing);
    const text = block && echoText(drawing.block, block, drawing.width);
    if (block === undefined || text === undefined) return false;
    this.#options.write(text);
    this.#options.onEchoed(block, drawing.block);
    this.#drawing = { ...drawing, block };
    return true;
  }

  /** Undefined for a bug while drawing: React draws the same, and reports it as a crash. */
  #blockOf(drawing: Drawing): Block | undefined {
    try {
      return drawing.with(this.#options.keys.get());
    } catch {
      return undefined;
    }
  }
}

/** What makes one frame of the other; undefined if that takes more than the line of the cursor. */
export function echoText(before: Block, after: Block, width: number): string | undefined {
  const [from, to] = [before.cursor, after.cursor];
  if (!from || !to || from.y !== to.y || before.lines.length !== after.lines.length) return undefined;
  if (before.lines.some((line, y) => y !== to.y && line !== after.lines[y])) return undefined;
  const [old, line] = [before.lines[to.y] ?? "", after.lines[to.y] ?? ""];
  // A line as wide as the screen leaves the cursor in a place that terminals do not agree on.
  if (hasUnsureWidth(line) || fitLine(line, width) !== line || widthOf(line) >= width) return undefined;
  const added = line.startsWith(old) && widthOf(old) === from.x ? line.slice(old.length) : undefined;
  if (added !== undefined && widthOf(line) === to.x) return added;
  const column = `\x1b[${to.x + 1}G`;
  return line === old ? column : `\r${line}\x1b[K${column}`;
}
