/**
 * A tool's output on its way to a screen. A reader that is slower than the tool never slows it down, and never makes omp hold more than
 * a little of it: then it gets the newest, with a note of how much was left out.
 */

const MAX_CHARS = 200_000;

export class LiveOutput {
  #text = "";
  #leftOut = 0;

  /** @returns true when nothing was waiting before, so that the caller has to announce it. */
  add(text: string): boolean {
    const isFirst = this.#text === "";
    this.#text += text;
    if (this.#text.length > MAX_CHARS) {
      const start = this.#text.length - MAX_CHARS / 2;
      this.#leftOut += start;
      this.#text = this.#text.slice(start);
    }
    return isFirst && text !== "";
  }

  take(): string {
    const note = this.#leftOut === 0 ? "" : `\n[… ${this.#leftOut} characters not shown …]\n`;
    const text = `${note}${this.#text}`;
    this.#text = "";
    this.#leftOut = 0;
    return text;
  }
}
