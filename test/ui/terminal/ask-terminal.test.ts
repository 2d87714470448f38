import { describe, expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import type { ReadStream } from "node:tty";
import { askTerminal } from "../../../src/ui/terminal/ask-terminal.ts";
import { capabilitiesFrom, sizeQuestions, terminalQuestions } from "../../../src/ui/terminal/capabilities.ts";

const kittyAnswers =
  "\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1bP>|kitty(0.36.4)\x1b\\\x1b[6;20;10t\x1b_Gi=31;OK\x1b\\\x1b[?62;c";

function open({ limitMs = 60_000 } = {}) {
  const keyboard = new PassThrough();
  keyboard.setEncoding("utf8");
  const written: string[] = [];
  const known = capabilitiesFrom({ TERM: "xterm-256color" }, { isTerminal: true });
  const terminal = askTerminal({
    stdin: keyboard as unknown as ReadStream,
    write: (text) => written.push(text),
    known,
    limitMs,
  });
  // As Ink reads: everything that there is, whenever there is something.
  let keys = "";
  const waiting = new Set<() => void>();
  terminal.stdin.on("readable", () => {
    for (let chunk = terminal.stdin.read(); chunk !== null; chunk = terminal.stdin.read()) keys += chunk;
    for (const look of waiting) look();
  });
  const typed = async (expected: string): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => (keys === expected ? resolve() : undefined);
    waiting.add(look);
    look();
    await promise;
  };
  return { keyboard, terminal, written, known, typed };
}

describe("asking the terminal", () => {
  test("the questions are written once, and the answers are taken out of what is typed", async () => {
    const { keyboard, terminal, written, known, typed } = open();
    const asked = terminal.ask();
    keyboard.write(`ab${kittyAnswers.slice(0, 30)}`);
    keyboard.write(`${kittyAnswers.slice(30)}c`);
    const found = await asked;
    expect(found).toEqual({
      ...known,
      background: "light",
      graphics: "kitty",
      version: "kitty(0.36.4)",
      cell: { width: 10, height: 20 },
      reflow: "sinking",
    });
    await typed("abc");
    expect(await terminal.ask()).toBe(found);
    await terminal.settled();
    expect(written).toEqual([terminalQuestions(known)]);
  });

  test("the size is asked again, and answers are no keys then either", async () => {
    const { keyboard, terminal, written, known, typed } = open();
    const first = terminal.ask();
    keyboard.write(kittyAnswers);
    await first;
    keyboard.write("a");
    await typed("a");
    const second = terminal.askSize();
    await Promise.resolve();
    expect(written).toEqual([terminalQuestions(known), sizeQuestions(known)]);
    keyboard.write("b\x1b[6;30;15tc\x1b[?62;cd");
    expect((await second).cell).toEqual({ width: 15, height: 30 });
    await typed("abcd");
    expect((await terminal.ask()).cell).toEqual({ width: 15, height: 30 });
  });

  test("an Escape that is pressed meanwhile is a key", async () => {
    const { keyboard, terminal, typed } = open();
    void terminal.ask();
    keyboard.write("\x1b");
    await typed("\x1b");
  });

  test("a terminal that says nothing is not waited for, and answers that come late are no keys", async () => {
    const { keyboard, terminal, known, typed } = open({ limitMs: 1 });
    expect(await terminal.ask()).toEqual(known);
    keyboard.write("\x1b]11;rgb:0000/0000/0000\x07x\x1b[?1;2cy");
    await typed("xy");
    expect(terminal.known.background).toBe("dark");
    expect((await terminal.ask()).background).toBe("dark");
  });

  test("what is typed before the questions and after the last answer goes through untouched", async () => {
    const { keyboard, terminal, typed } = open();
    keyboard.write("\x1b[?1;2c");
    await typed("\x1b[?1;2c");
    const asked = terminal.ask();
    keyboard.write("\x1b[?1;2c");
    await asked;
    keyboard.write("\x1b[?1;2c");
    await typed("\x1b[?1;2c\x1b[?1;2c");
  });
});
