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

export function spokenTime(ms: number): string {
  if (ms < 60_000) {
    const seconds = ms < 10_000 ? Number((ms / 1_000).toFixed(1)) : Math.round(ms / 1_000);
    return `${seconds} ${seconds === 1 ? "second" : "seconds"}`;
  }
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.round((ms % 60_000) / 1_000);
  return `${minutes} ${minutes === 1 ? "minute" : "minutes"} ${seconds} seconds`;
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
