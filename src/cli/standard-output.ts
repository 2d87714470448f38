/**
 * Our stdout. A reader that is gone (`| head`) ends the writing, and is an error only for callers that ask; anything else, such as a full
 * disk, must not look like success.
 */

import { safeWriter } from "../app/io.ts";
import { systemCode } from "../protocol/index.ts";

/** Callers that have written more than this ahead of the reader should wait. */
const MAX_AHEAD_CHARS = 1_000_000;

export class StandardOutput {
  #failure: string | undefined;
  #isReaderGone = false;
  /** Written, but not taken by the reader yet. */
  #aheadChars = 0;
  #waiting: (() => void)[] = [];
  #finishing: (() => void)[] = [];

  constructor() {
    // What is written after an error may never be called back. Without a listener the error would end the process.
    process.stdout.on("error", (error) => {
      this.#fail(error);
      this.#resume(this.#waiting, this.#finishing);
    });
  }

  /** Only text and colours reach a terminal. */
  readonly write = safeWriter(process.stdout, (text) => {
    if (text === "" || this.#hasFailed) return;
    this.#aheadChars += text.length;
    process.stdout.write(text, (error) => {
      this.#aheadChars -= text.length;
      if (error) this.#fail(error);
      if (this.#aheadChars <= MAX_AHEAD_CHARS) this.#resume(this.#waiting);
      if (this.#aheadChars === 0) this.#resume(this.#finishing);
    });
  });

  /** Undefined while there is room for more; otherwise resolves when there is. */
  readonly room = (): Promise<void> | undefined => {
    if (this.#aheadChars <= MAX_AHEAD_CHARS || this.#hasFailed) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  };

  /** Waits until everything is written. @returns false when the reader has left before the end. */
  readonly delivered = async (): Promise<boolean> => {
    await this.finish();
    return !this.#isReaderGone;
  };

  /** Waits until everything is written. @returns the system's error code when that failed. */
  async finish(): Promise<string | undefined> {
    // Not by an empty write: Bun calls back for that one before it has written what came earlier.
    if (this.#aheadChars > 0 && !this.#hasFailed)
      await new Promise<void>((resolve) => this.#finishing.push(resolve));
    return this.#failure;
  }

  get #hasFailed(): boolean {
    return this.#isReaderGone || this.#failure !== undefined;
  }

  #fail(error: Error): void {
    const code = systemCode(error) ?? "EIO";
    if (code === "EPIPE") this.#isReaderGone = true;
    else this.#failure ??= code;
  }

  #resume(...waiting: (() => void)[][]): void {
    for (const each of waiting) for (const resume of each.splice(0)) resume();
  }
}
