import { describe, expect, test } from "bun:test";
import {
  capabilitiesFrom,
  passedThrough,
  terminalQuestions,
  withReply,
} from "../../../src/ui/terminal/capabilities.ts";
import {
  backgroundOf,
  colorDepth,
  type Environment,
  graphicsOf,
  hasUnicode,
  multiplexer,
  wantsScreenReader,
} from "../../../src/ui/terminal/environment.ts";

const colors: [Environment, string][] = [
  [{ TERM: "xterm-256color" }, "256"],
  [{ TERM: "xterm" }, "16"],
  [{ TERM: "xterm-256color", COLORTERM: "truecolor" }, "true"],
  [{ TERM: "xterm-kitty" }, "true"],
  [{ TERM: "xterm-256color", TERM_PROGRAM: "Apple_Terminal" }, "256"],
  [{ TERM: "dumb", COLORTERM: "truecolor" }, "none"],
  [{}, "none"],
  [{ TERM: "xterm-256color", NO_COLOR: "1" }, "none"],
  [{ TERM: "xterm-256color", NO_COLOR: "" }, "256"],
  [{ TERM: "xterm", FORCE_COLOR: "3" }, "true"],
  [{ TERM: "xterm", FORCE_COLOR: "0" }, "none"],
  [{ TERM: "xterm-256color", FORCE_COLOR: "1" }, "16"],
  [{ FORCE_COLOR: "" }, "16"],
  [{ TERM: "xterm-256color", FORCE_COLOR: "true", NO_COLOR: "1" }, "256"],
];

for (const [env, depth] of colors) {
  test(`colours: ${JSON.stringify(env)} → ${depth}`, () =>
    expect(colorDepth(env, { isTerminal: true })).toBe(depth as never));
}

test("no colours where there is no terminal, unless they are forced", () => {
  expect(colorDepth({ TERM: "xterm-kitty" }, { isTerminal: false })).toBe("none");
  expect(colorDepth({ TERM: "xterm-kitty", FORCE_COLOR: "3" }, { isTerminal: false })).toBe("true");
});

test("a locale without UTF-8 means ASCII; none at all means nothing", () => {
  const locales: Environment[] = [
    { LANG: "en_US.UTF-8" },
    { LANG: "C.utf8" },
    { LANG: "C" },
    { LC_ALL: "POSIX", LANG: "en_US.UTF-8" },
    { LC_CTYPE: "de_DE.UTF-8", LANG: "C" },
    {},
    { TERM: "dumb" },
  ];
  expect(locales.map(hasUnicode)).toEqual([true, true, false, false, true, true, false]);
});

test("multiplexers are seen by their own variables, or by the name of the terminal", () => {
  const envs: Environment[] = [
    { TMUX: "/run/x" },
    { STY: "1.pts" },
    { ZELLIJ: "0" },
    { TERM: "tmux-256color" },
    { TERM: "screen" },
    {},
  ];
  expect(envs.map(multiplexer)).toEqual(["tmux", "screen", "zellij", "tmux", "screen", undefined]);
});

test("graphics are claimed only where it is sure", () => {
  const envs: Environment[] = [
    { TERM: "xterm-kitty" },
    { TERM: "xterm-256color", TERM_PROGRAM: "iTerm.app" },
    { TERM: "foot" },
    { TERM: "xterm-kitty", TMUX: "x" },
    { TERM: "xterm-256color" },
  ];
  expect(envs.map(graphicsOf)).toEqual(["kitty", "iterm2", "sixel", undefined, undefined]);
});

test("the background from COLORFGBG", () => {
  const values = ["15;0", "0;15", "0;default;7", "7;8", "", "x"];
  expect(values.map((value) => backgroundOf({ COLORFGBG: value }))).toEqual([
    "dark",
    "light",
    "light",
    "dark",
    undefined,
    undefined,
  ]);
});

test("a screen reader is announced by a variable", () => {
  expect(
    [{ INK_SCREEN_READER: "true" }, { ACCESSIBLE: "1" }, { OMP_SCREEN_READER: "0" }, {}].map(
      wantsScreenReader,
    ),
  ).toEqual([true, true, false, false]);
});

describe("answers", () => {
  const plain = capabilitiesFrom({ TERM: "xterm-256color" }, { isTerminal: true });

  test("say what the environment did not", () => {
    expect(withReply(plain, { kind: "attributes", parameters: [62, 4] }).graphics).toBe("sixel");
    expect(withReply(plain, { kind: "attributes", parameters: [4] }).graphics).toBeUndefined();
    expect(withReply(plain, { kind: "kitty graphics", isSupported: true }).graphics).toBe("kitty");
    expect(withReply(plain, { kind: "version", name: "iTerm2 3.5.0" }).graphics).toBe("iterm2");
    expect(withReply(plain, { kind: "background", color: { red: 1, green: 1, blue: 0.9 } }).background).toBe(
      "light",
    );
    expect(withReply(plain, { kind: "cell size", width: 9, height: 18 }).cell).toEqual({
      width: 9,
      height: 18,
    });
    expect(withReply(plain, { kind: "cell size", width: 0, height: 0 }).cell).toBeUndefined();
    expect(withReply(plain, { kind: "sixel size", width: 800, height: 680 }).sixelSize).toEqual({
      width: 800,
      height: 680,
    });
    expect(withReply(plain, { kind: "sixel size", width: 0, height: 0 }).sixelSize).toBeUndefined();
    expect(withReply(plain, { kind: "kitty keyboard", flags: 0 }).hasKittyKeyboard).toBe(true);
  });

  test("sixel does not take the place of a better protocol, whichever came first", () => {
    const sixel = { kind: "attributes", parameters: [62, 4] } as const;
    const kitty = { kind: "kitty graphics", isSupported: true } as const;
    expect(withReply(withReply(plain, sixel), kitty).graphics).toBe("kitty");
    expect(withReply(withReply(plain, kitty), sixel).graphics).toBe("kitty");
  });
});

test("the last question is the one that every terminal answers", () => {
  expect(terminalQuestions({ multiplexer: undefined }).endsWith("\x1b[c")).toBe(true);
  expect(terminalQuestions({ multiplexer: "tmux" })).not.toContain("\x1b_G");
  expect(terminalQuestions({ multiplexer: "tmux" })).not.toContain("S");
});

test("sequences go through tmux with their escapes doubled, through screen in pieces", () => {
  expect(passedThrough("\x1b_Gx\x1b\\", "tmux")).toBe("\x1bPtmux;\x1b\x1b_Gx\x1b\x1b\\\x1b\\");
  expect(passedThrough("\x1b_Ga\x1b\\\x1b_Gb\x1b\\", "tmux")).toBe(
    "\x1bPtmux;\x1b\x1b_Ga\x1b\x1b\\\x1b\\\x1bPtmux;\x1b\x1b_Gb\x1b\x1b\\\x1b\\",
  );
  expect(passedThrough("\x1b_Gx\x1b\\", undefined)).toBe("\x1b_Gx\x1b\\");
  expect(passedThrough("a".repeat(300), "screen")).toBe(
    `\x1bP${"a".repeat(250)}\x1b\\\x1bP${"a".repeat(50)}\x1b\\`,
  );
});

test("links are the terminal's own where nothing stands between that may swallow the address", () => {
  const hasHyperlinks = (env: Record<string, string>) =>
    capabilitiesFrom({ TERM: "xterm-256color", ...env }, { isTerminal: true }).hasHyperlinks;
  expect(hasHyperlinks({ COLORTERM: "truecolor" })).toBe(true);
  expect(hasHyperlinks({ VTE_VERSION: "7600" })).toBe(true);
  expect(hasHyperlinks({})).toBe(false);
  expect(hasHyperlinks({ COLORTERM: "truecolor", TMUX: "/tmp/tmux,1,0" })).toBe(false);
});
