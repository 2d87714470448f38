/**
 * The terminal as omp's screen: what it can do, its keyboard, colours, pictures and title. Puts the UI up, lends the terminal to other
 * programs, and leaves it as it was.
 */

import type { Settings } from "../config/schema.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { Pictures } from "../ui/images/pictures.ts";
import { Look } from "../ui/screen/look.ts";
import { startUi, type Ui, type UiOptions } from "../ui/screen/start.tsx";
import type { Edited, PagedOutput, PagedText } from "../ui/store/actions.ts";
import { initialState } from "../ui/store/state.ts";
import { Store } from "../ui/store/store.ts";
import { type AskedTerminal, askTerminal } from "../ui/terminal/ask-terminal.ts";
import { capabilitiesFrom } from "../ui/terminal/capabilities.ts";
import { Keyboard, keyProtocol } from "../ui/terminal/keyboard.ts";
import { TerminalTitle } from "../ui/terminal/terminal-title.ts";

export interface ScreenOptions {
  readonly invocation: Invocation;
  /** The settings at the start. */
  readonly ui: Settings["ui"];
  /** `--screen-reader`. */
  readonly isScreenReader: boolean;
  /** The process's own unless given. */
  readonly stdin?: NodeJS.ReadStream;
  readonly stdout?: NodeJS.WriteStream;
}

export class Screen {
  readonly store: Store;
  readonly look: Look;
  readonly pictures: Pictures;
  readonly #env: Invocation["env"];
  readonly #stdin: NodeJS.ReadStream;
  readonly #stdout: NodeJS.WriteStream;
  readonly #terminal: AskedTerminal;
  readonly #keyboard: Keyboard;
  readonly #title: TerminalTitle;
  readonly #isScreenReader: boolean;
  #hasKeyboard = false;
  #settings: Settings["ui"];
  #ui: Ui | undefined;

  constructor(options: ScreenOptions) {
    const { invocation, ui, stdin = process.stdin, stdout = process.stdout } = options;
    const { env, cwd } = invocation;
    const write = (text: string) => void stdout.write(text);
    this.#env = env;
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#settings = ui;
    this.#terminal = askTerminal({
      stdin,
      write,
      known: capabilitiesFrom(env, { isTerminal: true }),
      onChange: (known) => {
        this.look.learn(known);
        // A late answer counts as well.
        if (this.#hasKeyboard) this.#takeKeyboard();
      },
    });
    const { known } = this.#terminal;
    this.store = new Store(
      initialState({ columns: stdout.columns || 80, rows: stdout.rows || 24, cwd: shortPath(invocation) }),
    );
    this.look = new Look({ env, known, ui, store: this.store });
    this.#isScreenReader = ui.screenReader || options.isScreenReader || known.isScreenReader;
    this.#keyboard = new Keyboard(write);
    this.pictures = new Pictures({
      stdout,
      settings: () => this.#settings,
      isScreenReader: this.#isScreenReader,
      known: () => this.#terminal.ask(),
      // While another program has the keyboard, it would read the answers.
      measured: () => (this.#keyboard.isOurs ? this.#terminal.askSize() : this.#terminal.ask()),
      onRedrawn: (id, pictures) => this.store.dispatch({ type: "pictures", id, pictures }),
      onLeftBehind: () => this.store.dispatch({ type: "redraw_asked" }),
    });
    this.#title = new TerminalTitle({
      write,
      cwd,
      env,
      settings: () => this.#settings,
      version: () => this.#terminal.known.version,
    });
  }

  /** Resolves when the prompt has been painted; only then is the terminal asked what it can do. */
  async start(parts: Pick<UiOptions, "actions" | "keymap" | "onCrash">): Promise<void> {
    const { marks } = this.pictures;
    this.#title.set();
    this.#title.follow(this.store);
    this.#ui = startUi({
      ...parts,
      store: this.store,
      themes: this.look.themes,
      keyboard: this.#keyboard,
      isScreenReader: this.#isScreenReader,
      stdin: this.#terminal.stdin,
      stdout: marks.stdout,
      reflow: () => this.#terminal.known.reflow,
      erasePictures: () => marks.erased(),
    });
    this.#stdout.on("resize", this.pictures.resized);
    await this.#ui.flushed();
    void this.#terminal.ask().then(() => {
      this.#hasKeyboard = true;
      this.#takeKeyboard();
    });
  }

  /** Draws what is on the screen again where the changed settings make a difference. */
  async adopt(ui: Settings["ui"]): Promise<void> {
    this.#settings = ui;
    const hasRestyled = await this.pictures.restyle();
    if (!this.look.adopt(ui) && hasRestyled) this.store.dispatch({ type: "redraw_asked" });
  }

  /** An escape sequence that moves nothing. */
  write(sequence: string): void {
    this.#stdout.write(sequence);
  }

  async showPager(output: PagedOutput | PagedText): Promise<void> {
    await this.#ui?.showPager(output);
  }

  /** Ctrl+Z. */
  async suspend(): Promise<void> {
    const { suspendJob } = await import("./lend-terminal.ts");
    this.#title.restore();
    await suspendJob();
    this.#title.set();
  }

  async editExternally(text: string, signal: AbortSignal): Promise<Edited> {
    const { editExternally, withoutReading } = await import("./lend-terminal.ts");
    return await withoutReading(this.#stdin, () => editExternally(text, this.#env, signal));
  }

  /** Notifies the user of something that took long. */
  reportEnd(durationMs: number): void {
    this.#title.notifyEnd(durationMs);
  }

  /** Takes the UI down once no answer of the terminal is expected any more: the shell would read it. */
  async stop(): Promise<void> {
    await this.#terminal.settled();
    await this.#ui?.stop();
  }

  /** However omp ends. */
  async release(): Promise<void> {
    this.#stdout.off("resize", this.pictures.resized);
    this.pictures.stop();
    await this.#ui?.stop();
    this.#title.restore();
  }

  #takeKeyboard(): void {
    this.#keyboard.use(keyProtocol(this.#terminal.known, this.#env));
  }
}

/** With `~` for the user's home. */
function shortPath({ cwd, env }: Invocation): string {
  const home = env["HOME"];
  return home && (cwd === home || cwd.startsWith(`${home}/`)) ? `~${cwd.slice(home.length)}` : cwd;
}
