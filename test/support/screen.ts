/** The real program in a real pty, with a terminal emulator reading its output: takes keys, shows the screen as the user sees it. */

import { afterEach } from "bun:test";
import { Terminal } from "@xterm/headless";
import { Frames } from "./frames.ts";
import type { TestPlace } from "./home.ts";
import { runLimitMs, Waiting, waitLimitMs, withinLimit } from "./limits.ts";
import { launcher, userEnvironment } from "./omp.ts";

export interface ScreenOptions {
  readonly place: TestPlace;
  readonly args?: readonly string[];
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Instead of omp. */
  readonly argv?: readonly string[];
  /** What the terminal answers to queries of its capabilities, instead of the emulator's answer. */
  readonly answers?: string;
  /** Whether the terminal says that it has kitty's keyboard protocol. */
  readonly hasKittyKeyboard?: boolean;
  /** What the terminal answers to a query of its background colour (`ffff/ffff/ffff`). Without it, no answer. */
  readonly background?: string;
}

const open = new Set<Screen>();

afterEach(async () => {
  for (const screen of open) await screen.kill();
});

export function openScreen(options: ScreenOptions): Screen {
  const screen = new Screen(options);
  open.add(screen);
  return screen;
}

export class Screen {
  readonly #terminal: Terminal;
  readonly #child: Bun.Subprocess;
  readonly #waiting = new Set<() => void>();
  readonly #frames = new Frames();
  /** Resolves when the pty will deliver nothing more. */
  readonly #closed = Promise.withResolvers<void>();
  readonly #ended: Promise<number>;
  #isKilled = false;
  #arrived: string[] = [];
  #showing: Promise<void> = Promise.resolve();
  #isShowing = false;
  /** Everything shown so far, as it was sent, for checks of escape sequences. */
  raw = "";
  /** How often the bell rang. */
  bells = 0;
  /** Whether the program has ended and everything it wrote is on the screen. */
  hasEnded = false;

  constructor({
    place,
    args = [],
    columns = 80,
    rows = 24,
    env = {},
    argv,
    background,
    hasKittyKeyboard = false,
    answers,
  }: ScreenOptions) {
    this.#terminal = new Terminal({ cols: columns, rows, scrollback: 5_000, allowProposedApi: true });
    const decoder = new TextDecoder();
    this.#child = Bun.spawn([...(argv ?? [launcher, ...args])], {
      cwd: place.project,
      env: userEnvironment(place, { TERM: "xterm-256color", ...env }),
      terminal: {
        cols: columns,
        rows,
        data: (_, data) => this.#show(this.#frames.take(decoder.decode(data, { stream: true }))),
        exit: () => this.#closed.resolve(),
      },
    });
    this.#ended = this.#untilEnded();
    if (hasKittyKeyboard)
      this.#terminal.parser.registerCsiHandler({ prefix: "?", final: "u" }, () => {
        this.#answer("\x1b[?0u");
        return true;
      });
    // A terminal answers queries such as that of the cursor position.
    if (answers === undefined) this.#terminal.onData((answer) => this.#answer(answer));
    // omp's query of the device attributes is its last one.
    else
      this.#terminal.parser.registerCsiHandler({ final: "c" }, () => {
        this.#answer(answers);
        return true;
      });
    this.#terminal.onBell(() => {
      this.bells += 1;
    });
    if (background !== undefined)
      this.#terminal.parser.registerOscHandler(11, () => {
        this.#answer(`\x1b]11;rgb:${background}\x1b\\`);
        return true;
      });
  }

  get exited(): Promise<number> {
    return this.#child.exited;
  }

  get pid(): number {
    return this.#child.pid;
  }

  type(keys: string): void {
    this.#child.terminal?.write(keys);
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
    this.#child.terminal?.resize(columns, rows);
  }

  /** The visible text, without trailing spaces and without empty lines at the top and bottom. */
  get text(): string {
    const { baseY } = this.#terminal.buffer.active;
    return this.#lines(baseY, baseY + this.#terminal.rows);
  }

  /** Also everything that has scrolled off. */
  get allText(): string {
    return this.#lines(0, this.#terminal.buffer.active.length);
  }

  /** The first row that shows it, for `colors`. */
  rowOf(text: string): number {
    const { baseY } = this.#terminal.buffer.active;
    const rows = Array.from({ length: this.#terminal.rows }, (_, y) => this.#lines(baseY + y, baseY + y + 1));
    return rows.findIndex((row) => row.includes(text));
  }

  /** The foreground (`sign`) and background (`behind`) colour of each cell in a visible line. */
  colors(y: number): { readonly sign: number; readonly behind: number }[] {
    const buffer = this.#terminal.buffer.active;
    const line = buffer.getLine(buffer.baseY + y);
    return Array.from({ length: this.#terminal.cols }, (_, x) => {
      const cell = line?.getCell(x);
      return { sign: cell?.getFgColor() ?? 0, behind: cell?.getBgColor() ?? 0 };
    });
  }

  get cursor(): { readonly x: number; readonly y: number } {
    const { cursorX: x, cursorY: y } = this.#terminal.buffer.active;
    return { x, y };
  }

  /** Bracketed paste and the like, as the program left them. */
  get modes(): Terminal["modes"] {
    return this.#terminal.modes;
  }

  async waitFor(what: string | RegExp | ((screen: Screen) => boolean)): Promise<void> {
    const isThere = () =>
      typeof what === "function"
        ? what(this)
        : typeof what === "string"
          ? this.text.includes(what)
          : what.test(this.text);
    if (isThere()) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = new Waiting(this.waitFor);
    const sought = typeof what === "string" ? JSON.stringify(what) : String(what);
    const fail = (reason: string) => reject(waiting.error(`${reason} ${sought}; ${this.#described()}`));
    const look = () => {
      if (isThere()) resolve();
      // Nothing more can appear: no need to wait for the limit.
      else if (this.hasEnded) fail("the program ended without showing");
    };
    const limit = setTimeout(() => fail("still waiting for"), waitLimitMs());
    this.#waiting.add(look);
    try {
      look();
      await promise;
    } finally {
      clearTimeout(limit);
      this.#waiting.delete(look);
    }
  }

  /** Resolves when the program has written something more. */
  async changed(): Promise<void> {
    const { length } = this.raw;
    await this.waitFor(({ raw }) => raw.length > length);
  }

  /** Resolves with the exit code when everything that the program wrote is on the screen. */
  ended(): Promise<number> {
    return withinLimit(this.#ended, runLimitMs(), () => `the program is still running; ${this.#described()}`);
  }

  /** Closes the window: the program loses its terminal. */
  hangUp(): void {
    this.#child.terminal?.close();
  }

  async kill(): Promise<void> {
    open.delete(this);
    this.#isKilled = true;
    this.#arrived = [];
    this.#child.kill("SIGKILL");
    await this.#child.exited;
    this.#child.terminal?.close();
    this.#terminal.dispose();
  }

  /** The emulator may read a query after the window was closed. */
  #answer(text: string): void {
    if (this.#child.terminal?.closed === false) this.#child.terminal.write(text);
  }

  async #untilEnded(): Promise<number> {
    const exitCode = await this.#child.exited;
    await this.#closed.promise;
    this.#show([this.#frames.rest()]);
    await this.#showing;
    this.hasEnded = true;
    this.#look();
    return exitCode;
  }

  #show(parts: readonly string[]): void {
    if (this.#isKilled) return;
    this.#arrived.push(...parts);
    if (this.#isShowing) return;
    this.#isShowing = true;
    this.#showing = this.#showArrived();
  }

  /** One frame after the other; every wait sees each of them before the next one is drawn. */
  async #showArrived(): Promise<void> {
    for (let part = this.#arrived.shift(); part !== undefined; part = this.#arrived.shift()) {
      const shown = part;
      await new Promise<void>((resolve) => this.#terminal.write(shown, resolve));
      this.raw += shown;
      this.#look();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.#isShowing = false;
  }

  #look(): void {
    for (const look of this.#waiting) look();
  }

  #described(): string {
    const text = this.text === "" ? "(empty)" : this.text;
    return `the screen is:\n${text.replaceAll(/^/gm, "  │ ")}`;
  }

  #lines(from: number, to: number): string {
    const buffer = this.#terminal.buffer.active;
    const lines: string[] = [];
    for (let y = from; y < to; y += 1) lines.push(buffer.getLine(y)?.translateToString(true).trimEnd() ?? "");
    return lines.join("\n").replace(/^\n+|\s+$/g, "");
  }
}
