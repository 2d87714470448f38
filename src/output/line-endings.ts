/** `\r\n` as `\n`, also where a piece ends between the two; or line endings as they were written. */
export class LineEndings {
  readonly #isKept: boolean;
  /** A `\r` that the next piece may complete. */
  #held = "";

  constructor(isKept: boolean) {
    this.#isKept = isKept;
  }

  take(piece: string): string {
    if (this.#isKept) return piece;
    const text = this.#held + piece;
    this.#held = text.endsWith("\r") ? "\r" : "";
    const whole = this.#held === "" ? text : text.slice(0, -1);
    return whole.includes("\r\n") ? whole.replaceAll("\r\n", "\n") : whole;
  }

  /** What nothing completes. */
  end(): string {
    const held = this.#held;
    this.#held = "";
    return held;
  }
}
