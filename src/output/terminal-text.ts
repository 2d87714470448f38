/**
 * What omp writes to a terminal outside its own screen: text and colours. A model's answer, an error from a provider, a file's name or
 * an artifact may hold sequences that set the clipboard, reset the terminal or hide text by overwriting it: they are left out.
 */

import { EscapeParser } from "./escape-parser.ts";
import { LineEndings } from "./line-endings.ts";
import { ScreenText } from "./screen-text.ts";

export class TerminalText {
  readonly #screen: ScreenText;
  readonly #parser: EscapeParser;
  readonly #endings = new LineEndings(false);

  constructor(write: (text: string) => void) {
    this.#screen = new ScreenText(write);
    this.#parser = new EscapeParser({
      run: (text) => this.#screen.add(text),
      // A line that is written again would hide what it said first.
      control: (control) => this.#screen.add(control === "\r" ? "\n" : ""),
      csi: (parameters, final) => this.#screen.csi(parameters, final),
    });
  }

  /** Sequences may be cut between two pieces. */
  write(text: string): void {
    this.#parser.push(this.#endings.take(text));
    this.#screen.flush();
  }
}
