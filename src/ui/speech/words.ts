/** States and times in words, for a screen reader. */

import type { CallStatus } from "../renderers/renderer.ts";
import { makeTheme, type Theme } from "../theme.ts";

const words: Readonly<Record<CallStatus, string>> = {
  waiting: "waiting",
  running: "running",
  ok: "ok",
  failed: "failed",
  stopped: "interrupted",
};

export function statusWord(status: CallStatus): string {
  return words[status];
}

/** No colours, and symbols that are read as nothing or as what they mean. */
export const spokenTheme: Theme = {
  ...makeTheme({ hasColors: false, isLight: false, isAscii: true }),
  symbols: {
    prompt: ">",
    waiting: "waiting:",
    running: "running:",
    ok: "ok:",
    failed: "error:",
    stopped: "stopped:",
    bar: "",
    rule: "",
    more: "...",
    dot: ",",
    note: "",
  },
};
