import { expect, test } from "bun:test";
import { notification } from "../../../src/ui/terminal/terminal-title.ts";

const told = (env: Record<string, string>, mode: "auto" | "bell" | "off" = "auto", version?: string) =>
  notification("Done: a; b\nc", { env, version, mode });

test("terminals that are known for it get a notification, others the bell", () => {
  expect(told({ TERM_PROGRAM: "iTerm.app" })).toBe("\x1b]9;Done: a b c\x07");
  expect(told({ TERM: "xterm-kitty" })).toBe("\x1b]9;Done: a b c\x07");
  expect(told({ TERM: "xterm-256color" }, "auto", "WezTerm 20240203")).toBe("\x1b]9;Done: a b c\x07");
  expect(told({ TERM: "foot" })).toBe("\x1b]777;notify;omp;Done: a b c\x07");
  expect(told({ TERM: "xterm-256color" })).toBe("\x07");
});

test("a multiplexer passes on the bell", () => {
  expect(told({ TERM_PROGRAM: "iTerm.app", TMUX: "/tmp/tmux,1,0" })).toBe("\x07");
});

test("a person's word goes first", () => {
  expect(told({ TERM_PROGRAM: "iTerm.app" }, "bell")).toBe("\x07");
  expect(told({ TERM_PROGRAM: "iTerm.app" }, "off")).toBe("");
});
