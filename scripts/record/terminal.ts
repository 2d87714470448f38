/** omp in a real pty, with a terminal emulator that reads what it writes: takes keys, and shows its screen as cells. */

import { Terminal } from "@xterm/headless";
import type { Cell, Colour, Picture } from "./picture.ts";

const WAIT_MS = 60_000;
/** As long as nothing was written for this time, the screen is what a person would see. */
const QUIET_MS = 300;
/** A person's, so that the recording looks like one. */
const KEY_MS = 15;

export interface TerminalOptions {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly columns: number;
  readonly rows: number;
}

export class RecordedTerminal {
  readonly #terminal: Terminal;
  readonly #child: Bun.Subprocess;
  #writtenAt = performance.now();

  constructor({ argv, cwd, env, columns, rows }: TerminalOptions) {
    this.#terminal = new Terminal({ cols: columns, rows, scrollback: 1_000, allowProposedApi: true });
    this.#child = Bun.spawn([...argv], {
      cwd,
      env: { ...env },
      terminal: {
        cols: columns,
        rows,
        data: (_, data) => {
          this.#writtenAt = performance.now();
          this.#terminal.write(data);
        },
      },
    });
    this.#terminal.onData((answer) => this.#child.terminal?.write(answer));
  }

  async type(text: string): Promise<void> {
    for (const key of text) {
      this.#child.terminal?.write(key);
      await Bun.sleep(KEY_MS);
    }
  }

  /** Resolves when the screen shows it and has come to rest. */
  async shows(what: string | RegExp): Promise<void> {
    const endsAt = performance.now() + WAIT_MS;
    const isThere = () => (typeof what === "string" ? this.text.includes(what) : what.test(this.text));
    while (!isThere() || performance.now() - this.#writtenAt < QUIET_MS) {
      if (performance.now() > endsAt) throw new Error(`no ${what} on the screen:\n${this.text}`);
      await Bun.sleep(20);
    }
  }

  get text(): string {
    const buffer = this.#terminal.buffer.active;
    const lines = Array.from({ length: this.#terminal.rows }, (_, y) =>
      buffer.getLine(buffer.baseY + y)?.translateToString(true),
    );
    return lines.join("\n");
  }

  picture(): Picture {
    const { cols: columns, rows, buffer } = this.#terminal;
    const { baseY, cursorX, cursorY } = buffer.active;
    const cells = Array.from({ length: rows }, (_, y) => readRow(buffer.active.getLine(baseY + y), columns));
    return { columns, rows, cells, cursor: { x: cursorX, y: cursorY } };
  }

  async end(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.exited;
    this.#child.terminal?.close();
    this.#terminal.dispose();
  }
}

type Line = NonNullable<ReturnType<Terminal["buffer"]["active"]["getLine"]>>;
type TerminalCell = NonNullable<ReturnType<Line["getCell"]>>;

function readRow(line: Line | undefined, columns: number): Cell[] {
  return Array.from({ length: columns }, (_, x) => {
    const cell = line?.getCell(x);
    return cell === undefined ? EMPTY : readCell(cell);
  });
}

const EMPTY: Cell = {
  text: "",
  width: 1,
  sign: undefined,
  behind: undefined,
  isBold: false,
  isDim: false,
  isItalic: false,
  isUnderlined: false,
};

function readCell(cell: TerminalCell): Cell {
  const sign = colourOf(cell.getFgColor(), { isRgb: cell.isFgRGB(), isPalette: cell.isFgPalette() });
  const behind = colourOf(cell.getBgColor(), { isRgb: cell.isBgRGB(), isPalette: cell.isBgPalette() });
  const isInverse = cell.isInverse() !== 0;
  return {
    text: cell.getChars(),
    width: cell.getWidth(),
    sign: isInverse ? (behind ?? "background") : sign,
    behind: isInverse ? (sign ?? "foreground") : behind,
    isBold: cell.isBold() !== 0,
    isDim: cell.isDim() !== 0,
    isItalic: cell.isItalic() !== 0,
    isUnderlined: cell.isUnderline() !== 0,
  };
}

function colourOf(value: number, kind: { isRgb: boolean; isPalette: boolean }): Colour | undefined {
  if (kind.isRgb) return `#${value.toString(16).padStart(6, "0")}`;
  return kind.isPalette ? value : undefined;
}
