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

/** Before the name, where a narrow tab still shows it. */
const marks = { working: "* ", asking: "? ", idle: "" } as const;

export class TerminalTitle {
  readonly #options: TitleOptions;
  readonly #name: string;
  #state: keyof typeof marks = "idle";

  constructor(options: TitleOptions) {
    this.#options = options;
    this.#name = `omp ${basename(options.cwd).replace(/\p{Cc}/gu, "")}`;
  }

  set(): void {
    this.#options.write(SAVE_TITLE);
    this.#show();
  }

  restore(): void {
    this.#options.write(RESTORE_TITLE);
  }

  /** Notifies the user of the end of something long; after a short time they are still looking. */
  notifyEnd(durationMs: number): void {
    this.#notify("done", durationMs);
  }

  /** Says whether omp works or waits for an answer. A question holds everything up, and the user may be elsewhere: they are notified. */
  follow(store: Store): void {
    let last: number | undefined;
    store.subscribe(() => {
      const { question, activity, isEnding } = store.get();
      const state = isEnding ? "idle" : question ? "asking" : activity ? "working" : "idle";
      if (state !== this.#state) {
        this.#state = state;
        this.#show();
      }
      if (question === undefined || question.id === last) return;
      last = question.id;
      this.#notify("needs an answer", Date.now() - (activity?.startedAt ?? Date.now()));
    });
  }

  #show(): void {
    this.#options.write(`\x1b]0;${marks[this.#state]}${this.#name}${BELL}`);
  }

  #notify(what: string, durationMs: number): void {
    const { settings, env, version, write } = this.#options;
    const { notify: mode, notifyAfter } = settings();
    if (durationMs < notifyAfter * 1_000) return;
    const text = notification(`${this.#name}: ${what}`, { env, version: version(), mode });
    if (text !== "") write(text);
  }
}
