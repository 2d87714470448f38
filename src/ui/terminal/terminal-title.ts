/**
 * The window's title while omp runs, and a notification when something long has ended: the terminal's own where it shows them, else the
 * bell. The terminal's previous title is restored at the end.
 */

import { basename } from "node:path";
import type { Store } from "../store/store.ts";
import { type Environment, multiplexer } from "./environment.ts";

const [SAVE_TITLE, RESTORE_TITLE] = ["\x1b[22;0t", "\x1b[23;0t"];
const BELL = "\x07";

export interface NotificationOptions {
  readonly env: Environment;
  /** The name and version that the terminal reported. */
  readonly version: string | undefined;
  readonly mode: "auto" | "bell" | "off";
}

/** What to write to the terminal; empty for nothing. */
export function notification(text: string, { env, version, mode }: NotificationOptions): string {
  if (mode === "off") return "";
  const protocol = mode === "auto" ? protocolOf(env, version) : undefined;
  // A semicolon would start another field.
  const words = text.replace(/[\p{Cc};\s]+/gu, " ").trim();
  if (protocol === "osc 9") return `\x1b]9;${words}${BELL}`;
  return protocol === "osc 777" ? `\x1b]777;notify;omp;${words}${BELL}` : BELL;
}

/** Undefined for an unknown terminal, and inside a multiplexer, which passes on the bell only. */
function protocolOf(env: Environment, version: string | undefined): "osc 9" | "osc 777" | undefined {
  if (multiplexer(env) !== undefined) return undefined;
  const names = [env["TERM_PROGRAM"], env["LC_TERMINAL"], version, env["TERM"]].join(" ");
  if (/iterm|wezterm|ghostty|kitty/i.test(names) || env["KITTY_WINDOW_ID"] !== undefined) return "osc 9";
  return /foot|rxvt/i.test(names) ? "osc 777" : undefined;
}

export interface TitleOptions {
  readonly write: (text: string) => void;
  readonly cwd: string;
  readonly env: Environment;
  /** The current ones. */
  readonly settings: () => { readonly notify: NotificationOptions["mode"]; readonly notifyAfter: number };
  /** The name and version that the terminal reported, if it has. */
  readonly version: () => string | undefined;
}

export class TerminalTitle {
  readonly #options: TitleOptions;
  readonly #name: string;

  constructor(options: TitleOptions) {
    this.#options = options;
    this.#name = `omp ${basename(options.cwd).replace(/\p{Cc}/gu, "")}`;
  }

  set(): void {
    this.#options.write(`${SAVE_TITLE}\x1b]0;${this.#name}${BELL}`);
  }

  restore(): void {
    this.#options.write(RESTORE_TITLE);
  }

  /** Notifies the user of the end of something long; after a short time they are still looking. */
  notifyEnd(durationMs: number): void {
    this.#notify("done", durationMs);
  }

  /** A question holds everything up, and the user may be elsewhere. */
  watchQuestions(store: Store): void {
    let last: number | undefined;
    store.subscribe(() => {
      const { question, activity } = store.get();
      if (question === undefined || question.id === last) return;
      last = question.id;
      this.#notify("needs an answer", Date.now() - (activity?.startedAt ?? Date.now()));
    });
  }

  #notify(what: string, durationMs: number): void {
    const { settings, env, version, write } = this.#options;
    const { notify: mode, notifyAfter } = settings();
    if (durationMs < notifyAfter * 1_000) return;
    const text = notification(`${this.#name}: ${what}`, { env, version: version(), mode });
    if (text !== "") write(text);
  }
}
