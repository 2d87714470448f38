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

  constructor() {
    // The callbacks below handle errors; without a listener the same error would end the process.
    process.stdout.on("error", () => undefined);
  }

  /** Only text and colours reach a terminal. */
  readonly write = safeWriter(process.stdout, (text) => {
    this.#aheadChars += text.length;
    process.stdout.write(text, (error) => {
      this.#aheadChars -= text.length;
      if (this.#aheadChars <= MAX_AHEAD_CHARS) for (const resume of this.#waiting.splice(0)) resume();
      const code = error ? (systemCode(error) ?? "EIO") : undefined;
      if (code === "EPIPE") this.#isReaderGone = true;
      else this.#failure ??= code;
    });
  });

  /** Undefined while there is room for more; otherwise resolves when there is. */
  readonly room = (): Promise<void> | undefined => {
    if (this.#aheadChars <= MAX_AHEAD_CHARS) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  };

  /** Waits until everything is written. @returns false when the reader has left before the end. */
  readonly delivered = async (): Promise<boolean> => {
    await this.finish();
    return !this.#isReaderGone;
  };

  /** Waits until everything is written. @returns the system's error code when that failed. */
  async finish(): Promise<string | undefined> {
    await new Promise<void>((resolve) => void process.stdout.write("", () => resolve()));
    return this.#failure;
  }
}
