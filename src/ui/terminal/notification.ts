/** What tells a person who has turned away that something has ended: a notification where the terminal shows them, else the bell. */

import { type Environment, multiplexer } from "./environment.ts";

const BELL = "\x07";

/** How a terminal is told; undefined where nothing is known of it, and behind a multiplexer, which passes on the bell only. */
function protocolOf(env: Environment, version: string | undefined): "osc 9" | "osc 777" | undefined {
  if (multiplexer(env) !== undefined) return undefined;
  const term = env["TERM"] ?? "";
  const names = [env["TERM_PROGRAM"], env["LC_TERMINAL"], version, term].join(" ");
  if (/iterm|wezterm|ghostty|kitty/i.test(names) || env["KITTY_WINDOW_ID"] !== undefined) return "osc 9";
  return /foot|rxvt/i.test(names) ? "osc 777" : undefined;
}

export interface NotificationOptions {
  readonly env: Environment;
  /** As the terminal named itself. */
  readonly version: string | undefined;
  readonly mode: "auto" | "bell" | "off";
}

/** What to write to the terminal; empty for nothing. */
export function notification(text: string, { env, version, mode }: NotificationOptions): string {
  if (mode === "off") return "";
  const protocol = mode === "auto" ? protocolOf(env, version) : undefined;
  // A semicolon would begin another field.
  const words = text.replace(/[\p{Cc};\s]+/gu, " ").trim();
  if (protocol === "osc 9") return `\x1b]9;${words}${BELL}`;
  return protocol === "osc 777" ? `\x1b]777;notify;omp;${words}${BELL}` : BELL;
}
