/** However omp ends, the terminal is as it was. */

import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pressTwice } from "../support/at-rest.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { launcher } from "../support/omp.ts";
import { childrenOf } from "../support/processes.ts";
import { openScreen, type Screen } from "../support/screen.ts";
import { scriptModel } from "../support/script-model.ts";

const env = { PI_PY: "0" };
const prompt = "❯ Ask";

/** What omp turned on and has to turn off, however often. */
const pairs: Readonly<Record<string, readonly [on: string, off: string]>> = {
  "bracketed paste": ["\x1b[?2004h", "\x1b[?2004l"],
  "the hidden cursor": ["\x1b[?25l", "\x1b[?25h"],
  "the alternate screen": ["\x1b[?1049h", "\x1b[?1049l"],
  "the title": ["\x1b[22;0t", "\x1b[23;0t"],
  "kitty's keyboard": ["\x1b[>1u", "\x1b[<u"],
  "xterm's keyboard": ["\x1b[>4;1m", "\x1b[>4m"],
  "synchronized output": ["\x1b[?2026h", "\x1b[?2026l"],
};

function leftOn({ raw }: Screen): string[] {
  return Object.entries(pairs)
    .filter(([, [on, off]]) => raw.includes(on) && raw.lastIndexOf(off) < raw.lastIndexOf(on))
    .map(([name]) => name);
}

/** Of omp: newer shells read their line with bracketed paste, too. */
function leftOnBesidesShell(screen: Screen): string[] {
  return leftOn(screen).filter((name) => name !== "bracketed paste");
}

/** Under a shell that then says how omp ended and how the terminal reads keys. */
function underShell(place: TestPlace, options: { readonly hasKittyKeyboard?: boolean } = {}): Screen {
  const model = scriptModel(place, [{ text: "Yes." }]);
  const script = `"$@"; echo "ended with $?"; stty -a | tr ' ' '\\n' | grep -Ex -- '-?(icanon;?|isig|echo)' | tr '\\n' ' '; echo .`;
  const argv = ["bash", "-c", script, "bash", launcher, "-m", model];
  return openScreen({ place, argv, env, rows: 30, ...options });
}

async function hasBegun(screen: Screen): Promise<void> {
  screen.type("hello\r");
  await screen.waitFor("Yes.");
  await screen.waitFor("no Python");
  await screen.waitFor(({ raw }) => raw.includes("\x1b[>1u") || raw.includes("\x1b[>4;1m"));
}

/** omp itself, beneath the shell. */
function ompBeneath(screen: Screen): number {
  const [omp = 0, ...more] = childrenOf(screen.pid);
  expect(more).toEqual([]);
  return omp;
}

async function endedWith(screen: Screen, code: number): Promise<void> {
  await screen.waitFor(`ended with ${code}\n`);
  await screen.waitFor(/isig icanon;? echo \.|isig icanon echo \./);
  expect(screen.text).toMatch(/^Resume with: omp --resume [0-9a-f-]{36}$/m);
  expect(leftOn(screen)).toEqual([]);
}

describe("the terminal is as it was after", () => {
  test("Ctrl+D", async () => {
    const screen = underShell(temporaryPlace());
    await hasBegun(screen);
    screen.type("\x04");
    await endedWith(screen, 0);
  });

  test("Ctrl+D, where the keyboard is kitty's", async () => {
    const screen = underShell(temporaryPlace(), { hasKittyKeyboard: true });
    await hasBegun(screen);
    screen.type("\x1b[100;5u");
    await endedWith(screen, 0);
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
  ] as const)("%s", async (signal, code) => {
    const place = temporaryPlace();
    const screen = underShell(place, { hasKittyKeyboard: true });
    await hasBegun(screen);
    process.kill(ompBeneath(screen), signal);
    await endedWith(screen, code);
  });

  test("SIGTERM while the pager has the whole screen", async () => {
    const place = temporaryPlace();
    const screen = underShell(place);
    await hasBegun(screen);
    screen.type("!seq 1 5000\r");
    await screen.waitFor("truncated · ");
    await screen.waitFor(({ text }) => !text.includes("Esc to interrupt"));
    screen.type("\x1bo");
    await screen.waitFor("q close");
    process.kill(ompBeneath(screen), "SIGTERM");
    await endedWith(screen, 143);
  });

  test("a bug while drawing", async () => {
    const place = temporaryPlace();
    const fixture = join(import.meta.dir, "fixtures", "broken-drawing.tsx");
    const script = `"$@"; echo "ended with $?"; stty -a | tr ' ' '\\n' | grep -Ex -- '-?(icanon;?|isig|echo)' | tr '\\n' ' '; echo .`;
    const bun = process.execPath;
    const screen = openScreen({ place, argv: ["bash", "-c", script, "bash", bun, fixture], env });
    await screen.waitFor("❯ Ask");
    screen.type("x");
    await screen.waitFor("told: a bug while drawing");
    await screen.waitFor(/ended with 0\nisig icanon;? echo \.|isig icanon echo \./);
    expect(leftOn(screen)).toEqual([]);
  });
});

describe("Ctrl+Z", () => {
  test("gives the terminal to the shell, and fg brings omp back with what was written", async () => {
    const place = temporaryPlace();
    const argv = ["bash", "--norc", "--noprofile", "-i"];
    const screen = openScreen({ place, argv, env: { ...env, PS1: "shell> " }, hasKittyKeyboard: true });
    await screen.waitFor("shell>");
    screen.type(`${launcher} -m ${scriptModel(place, [])}\r`);
    await screen.waitFor("no Python");
    await screen.waitFor(({ raw }) => raw.includes("\x1b[>1u"));
    screen.type("half written");
    await screen.waitFor("❯ half written");
    screen.type("\x1b[122;5u");
    await screen.waitFor(/Stopped[^\n]*\n[\s\S]*shell>$/);
    expect(leftOnBesidesShell(screen)).toEqual([]);
    screen.type("stty -a | grep -o -- '-*icanon'; fg\r");
    await screen.waitFor(({ allText }) => /\nicanon\n[\s\S]*❯ half written\n[^\n]*no Python/.test(allText));
    screen.type(" and on");
    await screen.waitFor("❯ half written and on");
    expect(leftOn(screen)).toContain("the title");
    await screen.waitFor(({ raw }) => raw.lastIndexOf("\x1b[>1u") > raw.lastIndexOf("\x1b[<u"));
    const hint = "Press Ctrl+C again to quit";
    await pressTwice(screen, "\x1b[99;5u", { hint, isDone: ({ text }) => text.endsWith("shell>") });
    expect(leftOnBesidesShell(screen)).toEqual([]);
  });
});

describe("an editor of the user's own", () => {
  test("gets a plain keyboard, and omp takes its own back", async () => {
    const place = temporaryPlace();
    const EDITOR = "echo edited; printf 'from the editor' >";
    const args = ["-m", scriptModel(place, [])];
    const screen = openScreen({ place, args, env: { ...env, EDITOR }, hasKittyKeyboard: true });
    await screen.waitFor("no Python");
    await screen.waitFor(({ raw }) => raw.includes("\x1b[>1u"));
    screen.type("\x1b[103;5u");
    await screen.waitFor("❯ from the editor");
    await screen.waitFor(({ raw }) => raw.lastIndexOf("\x1b[>1u") > raw.lastIndexOf("\x1b[<u"));
    const { raw } = screen;
    expect(raw.indexOf("\x1b[<u")).toBeLessThan(raw.indexOf("edited"));
    expect(raw.lastIndexOf("\x1b[>1u")).toBeGreaterThan(raw.indexOf("edited"));
  });

  test("can be left with Ctrl+C, which ends the editor and not omp", async () => {
    const place = temporaryPlace();
    const EDITOR = "echo editing; cat; true";
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env: { ...env, EDITOR } });
    await screen.waitFor("no Python");
    screen.type("kept\x07");
    await screen.waitFor("editing");
    screen.type("is it there?\r");
    // Once by the terminal and once by the editor itself: a shell that is about to start it may not hear Ctrl+C.
    await screen.waitFor("is it there?\nis it there?");
    screen.type("\x03");
    // What it left in the line stays above, and does not break the frame.
    const rule = "─".repeat(80);
    await screen.waitFor(`is it there?\n^C\n${rule}\n❯ kept\n`);
    screen.type(" and on");
    await screen.waitFor(`is it there?\n^C\n${rule}\n❯ kept and on\n`);
  });

  test("gets every key, also those that it does not wait for yet", async () => {
    const place = temporaryPlace();
    const mayRead = join(place.home, "may-read");
    const script = join(place.home, "editor");
    const lines = ["one", "two", "three", "four", "five"];
    writeFileSync(
      script,
      `#!/bin/sh\necho editing\nuntil [ -e "${mayRead}" ]; do sleep 0.02; done\nhead -n ${lines.length} > "$1"\n`,
      { mode: 0o700 },
    );
    const args = ["-m", scriptModel(place, [])];
    const screen = openScreen({ place, args, env: { ...env, EDITOR: script } });
    await screen.waitFor("no Python");
    screen.type("\x07");
    await screen.waitFor("editing");
    for (const line of lines) {
      screen.type(`${line}\r`);
      // As the terminal itself shows what is typed, when nobody reads it.
      await screen.waitFor(new RegExp(`^${line}$`, "m"));
    }
    writeFileSync(mayRead, "");
    await screen.waitFor(`❯ ${lines.join("\n  ")}`);
  });

  test("that cannot be started for want of a place costs nothing", async () => {
    const place = temporaryPlace();
    const nowhere = { ...env, TMPDIR: join(place.home, "nowhere") };
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env: nowhere });
    await screen.waitFor("no Python");
    screen.type("kept\x07");
    await screen.waitFor(({ text }) => text.includes("ENOENT") && text.includes("❯ kept\n"));
  });
});

test("the keyboard is kitty's also where the terminal says so late", async () => {
  const place = temporaryPlace();
  const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env, answers: "" });
  // Without an answer it is xterm's.
  await screen.waitFor(({ raw }) => raw.includes("\x1b[>4;1m"));
  screen.type("\x1b[?0u\x1b[?62c");
  await screen.waitFor(({ raw }) => raw.includes("\x1b[>4m\x1b[>1u"));
});

describe("a new line", () => {
  test.each([
    ["Shift+Enter", "\x1b[13;2u", true],
    ["Ctrl+Enter", "\x1b[13;5u", true],
    ["Alt+Enter", "\x1b[13;3u", true],
    ["Shift+Enter as xterm and tmux say it", "\x1b[27;2;13~", false],
    ["Ctrl+Enter as xterm and tmux say it", "\x1b[27;5;13~", false],
    ["Alt+Enter as every terminal says it", "\x1b\r", false],
    ["Ctrl+J", "\n", false],
    ["a backslash and Enter", "\\\r", false],
  ])("comes from %s", async (_, keys, hasKittyKeyboard) => {
    const place = temporaryPlace();
    const screen = openScreen({ place, args: ["-m", scriptModel(place, [])], env, hasKittyKeyboard });
    await screen.waitFor(prompt);
    const protocol = hasKittyKeyboard ? "\x1b[>1u" : "\x1b[>4;1m";
    await screen.waitFor(({ raw }) => raw.includes(protocol));
    screen.type("one");
    await screen.waitFor("❯ one");
    screen.type(keys);
    await screen.waitFor(({ cursor }) => cursor.x === 2);
    screen.type("two");
    await screen.waitFor("❯ one\n  two\n");
  });
});
