/**
 * Keys that plain terminals cannot tell apart (Shift+Enter from Enter): asks the terminal to report them, and switches that off before
 * another program reads the keyboard. Two ways: kitty's protocol, where the terminal says that it has it, and xterm's modifyOtherKeys,
 * which tmux passes on, too; at its first level, so that Ctrl+C and the like stay what they are.
 *
 * By default xterm sends `ï` for Alt+O: it is asked for Escape and the letter, as other terminals send it.
 */

import type { TerminalCapabilities } from "./capabilities.ts";
import { type Environment, multiplexer } from "./environment.ts";

export type KeyProtocol = "kitty" | "modifyOtherKeys" | "xterm";

const sequences: Readonly<Record<KeyProtocol, { readonly on: string; readonly off: string }>> = {
  kitty: { on: "\x1b[>1u", off: "\x1b[<u" },
  modifyOtherKeys: { on: "\x1b[>4;1m", off: "\x1b[>4m" },
  // The terminal saves and restores what the user has set for Meta and Alt.
  xterm: {
    on: "\x1b[?1036;1039s\x1b[?1036;1039h\x1b[>4;1m",
    off: "\x1b[>4m\x1b[?1036;1039r",
  },
};

/** Only terminals known to understand modifyOtherKeys: others may take its sequence for a colour. */
export function keyProtocol(
  { hasKittyKeyboard, version }: Pick<TerminalCapabilities, "hasKittyKeyboard" | "version">,
  env: Environment,
): KeyProtocol | undefined {
  if (hasKittyKeyboard) return "kitty";
  if (version?.startsWith("XTerm(") === true && multiplexer(env) === undefined) return "xterm";
  const isKnown = env["TMUX"] !== undefined || /^(?:xterm|tmux|mlterm)/.test(env["TERM"] ?? "");
  return isKnown && env["TERM_PROGRAM"] !== "Apple_Terminal" ? "modifyOtherKeys" : undefined;
}

export class Keyboard {
  readonly #write: (text: string) => void;
  #protocol: KeyProtocol | undefined;
  #isOurs = true;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** Whether omp reads it. */
  get isOurs(): boolean {
    return this.#isOurs;
  }

  /** The protocol that the terminal turned out to have. */
  use(protocol: KeyProtocol | undefined): void {
    if (protocol === this.#protocol) return;
    this.#turn("off");
    this.#protocol = protocol;
    this.#turn("on");
  }

  /** Another program reads the keyboard next. */
  giveAway(): void {
    this.#turn("off");
    this.#isOurs = false;
  }

  takeBack(): void {
    this.#isOurs = true;
    this.#turn("on");
  }

  #turn(way: "on" | "off"): void {
    if (this.#isOurs && this.#protocol !== undefined) this.#write(sequences[this.#protocol][way]);
  }
}

/** Keys as xterm and Konsole send them, in the form of kitty, which Ink reads. @param version as the terminal reported it. */
export function normalizeKeys(input: string, version?: string): string {
  const keys =
    version?.startsWith("Konsole") === true ? input.replaceAll(KONSOLE_SHIFT_ENTER, SHIFT_ENTER) : input;
  return keys.replace(OTHER_KEYS, (_, modifiers: string, code: string) => `\x1b[${code};${modifiers}u`);
}

/** Sent without being asked, by its default key table. */
const KONSOLE_SHIFT_ENTER = "\x1bOM";
const SHIFT_ENTER = "\x1b[13;2u";

const OTHER_KEYS = /\p{Cc}\[27;(\d+);(\d+)~/gu;
