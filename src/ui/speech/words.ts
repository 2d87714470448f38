/** The theme of a screen reader. */

import { makeTheme, type Theme } from "../theme.ts";

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
