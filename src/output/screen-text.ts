/**
 * What of a program's output may reach the user's terminal: text, colours (SGR) and the controls that stay within a line.
 * Sequences that set titles, move the cursor, switch screens or ask the terminal questions are left out.
 */

/** Colours only: `CSI > 4 m` and its like set keyboard modes. */
const COLOUR = /^[\d;:]*$/;
/** Ends with everything off: `CSI m`, `CSI 0 m`, `CSI 1;0 m`. */
const RESET = /(^|;)0*$/;

export class ScreenText {
  readonly #onText: (text: string) => void;
  #waiting = "";
  #coloured = false;
  /** Remembered piece by piece: a look at the end of `#waiting` would copy all of it. */
  #atLineStart = true;

  constructor(onText: (text: string) => void) {
    this.#onText = onText;
  }

  add(text: string): void {
    this.#waiting += text;
    this.#atLineStart = text.endsWith("\n");
  }

  csi(parameters: string, final: string): void {
    if (final !== "m" || !COLOUR.test(parameters)) return;
    this.#coloured = !RESET.test(parameters);
    this.#waiting += `\x1b[${parameters}m`;
  }

  /** A line of our own words among the program's. */
  note(line: string): void {
    this.resetColour();
    this.add(`${this.#atLineStart ? "" : "\n"}${line}\n`);
  }

  /** Colour that a program left on must not run into what the screen shows next. */
  resetColour(): void {
    if (this.#coloured) this.#waiting += "\x1b[0m";
    this.#coloured = false;
  }

  flush(): void {
    const text = this.#waiting;
    this.#waiting = "";
    if (text !== "") this.#onText(text);
  }
}
