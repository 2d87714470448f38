import { describe, expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import type { WriteStream } from "node:tty";
import { LinePlaceholders } from "../../../src/ui/terminal/line-placeholders.ts";

function open() {
  const terminal = new PassThrough();
  terminal.setEncoding("utf8");
  const placeholders = new LinePlaceholders(terminal as unknown as WriteStream);
  const written = (text: string): string => {
    placeholders.stdout.write(text);
    return String(terminal.read());
  };
  return { placeholders, written };
}

describe("placeholders of lines", () => {
  test("each is a column wide, and is replaced by its line where it is written", () => {
    const { placeholders, written } = open();
    const lines = ["\x1b[1mbold\x1b[22m", "", "日本 \x1b]8;;https://a.example\x07link\x1b]8;;\x07"];
    const placed = placeholders.of(lines, 80);
    expect(placed.split("\n").map((line) => Bun.stringWidth(line))).toEqual([1, 0, 1]);
    expect(written(`\x1b[2K${placed}\x1b[3A`)).toBe(`\x1b[2K${lines.join("\n")}\x1b[3A`);
  });

  test("the cursor goes behind what stands before it, however wide the terminal takes that for", () => {
    const { placeholders, written } = open();
    placeholders.of(["> 👩‍👩‍👧 \x1b[1mcd\x1b[22m"], 80, { x: 6, y: 0 });
    expect(written("\x1b[2A\x1b[7G\x1b[?25h")).toBe("\x1b[2A\r> 👩‍👩‍👧 \x1b[1mc\x1b[22m\x1b[?25h");
    // A frame of before.
    expect(written("\x1b[2A\x1b[3G\x1b[?25h")).toBe("\x1b[2A\x1b[3G\x1b[?25h");
    placeholders.of(["❯ abcd 日本"], 80, { x: 6, y: 0 });
    expect(written("\x1b[2A\x1b[7G\x1b[?25h")).toBe("\x1b[2A\x1b[7G\x1b[?25h");
    placeholders.of(["> 👩‍👩‍👧"], 80);
    expect(written("\x1b[5G\x1b[?25h")).toBe("\x1b[5G\x1b[?25h");
  });

  test("a line keeps its sign from frame to frame, another has another", () => {
    const { placeholders } = open();
    const [first, second] = placeholders.of(["same", "one"], 80).split("\n");
    const [third, fourth] = placeholders.of(["same", "two"], 80).split("\n");
    expect(third).toBe(first as string);
    expect(new Set([first, second, fourth]).size).toBe(3);
  });

  test("a line that is forgotten gets another sign, and its old one is still known", () => {
    const { placeholders, written } = open();
    const first = placeholders.of(["same"], 80);
    placeholders.forget("same");
    placeholders.forget("never shown");
    const second = placeholders.of(["same"], 80);
    expect(second).not.toBe(first);
    expect(written(first + second)).toBe("samesame");
  });

  test("a frame of before can be written once more; one that is long gone leaves nothing behind", () => {
    const { placeholders, written } = open();
    const first = placeholders.of(["first"], 80);
    for (let frame = 0; frame < 100; frame += 1) placeholders.of([`frame ${frame}`], 80);
    expect(written(first)).toBe("first");
    for (let frame = 0; frame < 50_000; frame += 1) placeholders.of([`later ${frame}`, "always"], 80);
    expect(written(placeholders.of(["always"], 80))).toBe("always");
    expect(written(`<${first}>`)).toMatch(/^<(later \d+)?>$/);
  });

  test("what would move the cursor, or does not fit, is left out", () => {
    const { placeholders, written } = open();
    const line = "a\x1b[2Jb\tc\x07d\x1b[31m red\x1b[39m\x9b5Ae\x1b]0;title\x07";
    expect(written(placeholders.of([line], 80))).toBe("a[2Jbcd\x1b[31m red\x1b[39m5Ae]0;title");
    expect(written(placeholders.of(["\x1b[31m123456789\x1b[39m"], 5))).toBe("\x1b[31m12345\x1b[39m");
    expect(written(placeholders.of(["1234日"], 5))).toBe("1234");
  });

  test("other text goes through as it is", () => {
    const { written } = open();
    const text = "\x1b[?25l 日本 \u{100123} \u{10ffff} \u{f0001}\n";
    expect(written(text)).toBe(text);
  });
});
