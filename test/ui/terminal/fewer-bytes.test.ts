import { describe, expect, test } from "bun:test";
import { inFewerBytes } from "../../../src/ui/terminal/fewer-bytes.ts";

const dim = (text: string) => `\x1b[38;5;250m${text}\x1b[39m`;
/** As Ink writes a line that has changed. */
const changed = (...lines: string[]) => lines.map((line) => `\x1b[1G\x1b[K${line}`).join("\n");

describe("the lines of a frame in fewer bytes", () => {
  test("a line below one of the same colour leaves the colour on", () => {
    expect(inFewerBytes(changed(`  ${dim("one")}`, `  ${dim("two")}`, `    ${dim("three")}`, "four"))).toBe(
      "\r\x1b[K  \x1b[38;5;250mone\n\r\x1b[K  two\n\r\x1b[K    three\x1b[39m\n\r\x1b[Kfour",
    );
  });

  test("other colours, backgrounds, and lines that were skipped keep theirs", () => {
    const red = "\x1b[38;5;1mred\x1b[39m";
    const marked = "\x1b[48;5;236mmarked\x1b[49m";
    const lines = [dim("one"), red, `${dim("two")} ${dim("three")}`, marked, marked].map(
      (line) => `\r\x1b[K${line}`,
    );
    expect(inFewerBytes(lines.join("\n"))).toBe(lines.join("\n"));
    const skipped = `\r\x1b[K${dim("one")}\n\x1b[E\r\x1b[K${dim("two")}`;
    expect(inFewerBytes(skipped)).toBe(skipped);
  });

  test("a colour inside a line that has several is that of the next line, too", () => {
    expect(inFewerBytes(changed(`\x1b[1mx\x1b[22m ${dim("one")}`, dim("two")))).toBe(
      "\r\x1b[K\x1b[1mx\x1b[22m \x1b[38;5;250mone\n\r\x1b[Ktwo\x1b[39m",
    );
  });
});
