import { describe, expect, test } from "bun:test";
import { PassThrough } from "node:stream";
import type { WriteStream } from "node:tty";
import { PictureMarks } from "../../../src/ui/images/picture-marks.ts";

function open({ columns = 80, rows = 24 } = {}) {
  const terminal = Object.assign(new PassThrough(), { columns, rows });
  terminal.setEncoding("utf8");
  const marks = new PictureMarks(terminal as unknown as WriteStream);
  const written = (text: string): string => {
    marks.stdout.write(text);
    return String(terminal.read());
  };
  return { terminal, marks, written };
}

describe("signs for pictures", () => {
  test("text without any goes through unchanged, bytes too", () => {
    const { terminal, marks, written } = open();
    expect(written("\x1b[1mplain\x1b[22m 日本 \u{10ffff}\n")).toBe("\x1b[1mplain\x1b[22m 日本 \u{10ffff}\n");
    marks.stdout.write(Buffer.from("bytes"));
    expect(String(terminal.read())).toBe("bytes");
  });

  test("one is a column wide, and is replaced by a space and the picture above it", () => {
    const { marks, written } = open();
    const mark = marks.add({ sequence: "PICTURE", columns: 10, rows: 3 });
    expect(Bun.stringWidth(mark)).toBe(1);
    expect(written(`\n\n\n ${mark}caption\n`)).toBe("\n\n\n  \x1b7\x1b[3A\x1b[3GPICTURE\x1b8caption\n");
  });

  test("a picture is sent once and drawn each time", () => {
    const { marks, written } = open();
    const mark = marks.add({ sequence: "CELLS", columns: 1, rows: 1, upload: "UPLOAD" });
    expect(written(mark)).toContain("UPLOAD");
    expect(written(mark)).toBe(" \x1b7\x1b[1A\x1b[3GCELLS\x1b8");
  });

  test("what erasing the text leaves on the screen is taken off, once", () => {
    const { marks, written } = open();
    const kitty = marks.add({ sequence: "A", columns: 1, rows: 1, erase: "ERASE" });
    marks.add({ sequence: "B", columns: 1, rows: 1, erase: "NEVER DRAWN" });
    expect(marks.erased()).toBe("");
    written(kitty);
    expect(marks.erased()).toBe("ERASE");
    expect(marks.erased()).toBe("");
  });

  test("one that another has replaced is taken off the screen, too", () => {
    const { marks, written } = open();
    const kitty = marks.add({ sequence: "A", columns: 1, rows: 1, erase: "ERASE" });
    const unseen = marks.add({ sequence: "B", columns: 1, rows: 1, erase: "NEVER DRAWN" });
    written(kitty);
    expect(marks.areInPlace).toBe(true);
    marks.remove(kitty);
    marks.remove(unseen);
    expect(marks.areInPlace).toBe(true);
    expect(marks.erased()).toBe("ERASE");
    expect([marks.erased(), marks.areInPlace]).toEqual(["", false]);
  });

  test("none is drawn over other text in a window that has become too small", () => {
    const { terminal, marks, written } = open();
    const mark = marks.add({ sequence: "A", columns: 40, rows: 10 });
    terminal.rows = 10;
    expect(written(mark)).toBe(" ");
    terminal.rows = 11;
    expect(written(mark)).toContain("A");
    terminal.columns = 41;
    expect(written(mark)).toBe(" ");
  });

  test("the oldest go when there are too many, or too much of them", () => {
    const { marks, written } = open();
    const first = marks.add({ sequence: "x".repeat(30_000_000), columns: 1, rows: 1 });
    const second = marks.add({ sequence: "y".repeat(30_000_000), columns: 1, rows: 1 });
    expect(written(first)).toBe(" ");
    expect(written(second).length).toBeGreaterThan(30_000_000);
    const many = Array.from({ length: 1_025 }, (_, at) =>
      marks.add({ sequence: `<${at}>`, columns: 1, rows: 1 }),
    );
    expect(many[1_024]).toBe(many[0] ?? "");
    expect(written(many[0] ?? "")).toContain("<1024>");
  });
});
