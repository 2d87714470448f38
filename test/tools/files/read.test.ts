import { beforeEach, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type FilePlace, filePlace } from "./file-place.ts";

let place: FilePlace;
beforeEach(() => {
  place = filePlace();
});

const read = (path: string, more: Record<string, unknown> = {}) => place.run("read", { path, ...more });
const shown = async (path: string, more: Record<string, unknown> = {}) => (await read(path, more)).output;
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n");

describe("text", () => {
  test("comes as numbered lines, with facts for scripts", async () => {
    const path = place.put("a.txt", "one\n\ttwo\n\nfour\n");
    expect(await read("a.txt")).toEqual({
      isError: false,
      output: "1|one\n2|\ttwo\n3|\n4|four",
      details: {
        path,
        totalBytes: 15,
        startLine: 1,
        endLine: 4,
        totalLines: 4,
        truncated: false,
        encoding: "utf-8",
        lineEnding: "lf",
      },
    });
  });

  test.each([
    ["a", "1|a"],
    ["a\n", "1|a"],
    ["a\n\n", "1|a\n2|"],
    ["\n", "1|"],
    ["\n\na", "1|\n2|\n3|a"],
  ])("%j has the lines that people count", async (content, expected) => {
    place.put("a", content);
    expect(await shown("a")).toBe(expected);
  });

  test("of nothing is said to be empty", async () => {
    place.put("empty", "");
    expect(await read("empty")).toMatchObject({ isError: false, output: "(empty file)" });
  });

  test("is read in ranges, which say how to go on", async () => {
    place.put("a.txt", `${numbered(10)}\n`);
    expect(await shown("a.txt", { offset: 4, limit: 2 })).toBe(
      "4|line 4\n5|line 5\n[lines 4-5 of 10; continue with offset 6]",
    );
    expect(await shown("a.txt", { offset: 9 })).toBe("9|line 9\n10|line 10");
    expect(await shown("a.txt", { offset: 9, limit: 2 })).toBe("9|line 9\n10|line 10");
  });

  test("is read from the end with a negative offset", async () => {
    place.put("a.txt", numbered(10));
    expect(await shown("a.txt", { offset: -2 })).toBe("9|line 9\n10|line 10");
    expect(await shown("a.txt", { offset: -2, limit: 1 })).toBe(
      "9|line 9\n[lines 9-9 of 10; continue with offset 10]",
    );
    expect(await shown("a.txt", { offset: -99, limit: 1 })).toStartWith("1|line 1\n");
  });

  test("is cut at 2,000 lines", async () => {
    place.put("a.txt", Array.from({ length: 2500 }, () => "x").join("\n"));
    const { output, details } = await read("a.txt");
    expect(output.split("\n").length).toBe(2001);
    expect(output).toEndWith("\n2000|x\n[lines 1-2000 of 2,500; continue with offset 2001]");
    expect(details.truncated).toBe(true);
  });

  test("is cut at 30,000 characters, between lines", async () => {
    place.put("a.txt", Array.from({ length: 100 }, () => "y".repeat(995)).join("\n"));
    const { output } = await read("a.txt", { limit: 5000 });
    expect(output).toEndWith("\n[lines 1-30 of 100; continue with offset 31]");
    expect(output.length).toBeLessThan(30_100);
    expect(await shown("a.txt", { offset: 31, limit: 1 })).toStartWith("31|yyy");
  });

  test("has long lines clipped, with how much is missing, and never inside a character", async () => {
    place.put("a.txt", `${"a".repeat(5000)}\nb\n${"x".repeat(1999)}${"😀".repeat(3000)}\n`);
    const [first, second, third] = (await shown("a.txt")).split("\n");
    expect(first).toBe(`1|${"a".repeat(2000)}… [3,000 more bytes in this line]`);
    expect(second).toBe("2|b");
    expect(third).toBe(`3|${"x".repeat(1999)}… [12,000 more bytes in this line]`);
  });

  test("keeps a line of exactly 2,000 characters", async () => {
    place.put("a.txt", "ä".repeat(2000));
    expect(await shown("a.txt")).toBe(`1|${"ä".repeat(2000)}`);
  });

  test("of one line that is longer than everything is still shown", async () => {
    place.put("a.json", "z".repeat(300_000_0));
    expect(await shown("a.json")).toBe(`1|${"z".repeat(2000)}… [2,998,000 more bytes in this line]`);
  });

  test("with an offset past the end is refused with the number of lines", async () => {
    place.put("a.txt", "a\nb\n");
    expect(await shown("a.txt", { offset: 3 })).toBe(
      "read: offset 3 is past the end: 'a.txt' has 2 lines (OUT_OF_RANGE)",
    );
  });

  test("with CRLF endings shows plain lines and says so", async () => {
    place.put("a.txt", "a\r\nb\r\n");
    const { output, details } = await read("a.txt");
    expect(output).toBe("1|a\n2|b\n[CRLF line endings]");
    expect(details.lineEnding).toBe("crlf");
    place.put("a.txt", "a\r\nb\nc\r");
    expect(await shown("a.txt")).toBe("1|a\n2|b\n3|c\n[mixed line endings]");
  });

  test("with CRLF endings is not mixed because its last line has none, or because one is clipped", async () => {
    place.put("a.txt", "a\r\nb");
    expect((await read("a.txt")).details.lineEnding).toBe("crlf");
    place.put("a.txt", `${"x".repeat(9000)}\r\nb\r\n`);
    const { output, details } = await read("a.txt");
    expect(output).toBe(`1|${"x".repeat(2000)}… [7,000 more bytes in this line]\n2|b\n[CRLF line endings]`);
    expect(details.lineEnding).toBe("crlf");
  });

  test("with a stray NUL deep inside stays readable", async () => {
    place.put("log", `${"x\n".repeat(5000)}a\0b\n`);
    expect(await shown("log", { offset: 5001 })).toBe("5001|a␀b");
  });
});

describe("encodings", () => {
  test("UTF-8 with a byte order mark is shown without it", async () => {
    place.put("a.txt", "\ufeffgrüße 😀\n");
    expect(await shown("a.txt")).toBe("1|grüße 😀");
  });

  test.each(["efbbbf", "fffe", "feff"])("a file of the byte order mark %s alone is empty", async (mark) => {
    place.put("a.txt", Buffer.from(mark, "hex"));
    expect(await read("a.txt")).toMatchObject({
      isError: false,
      output: "(empty file)",
      details: { totalBytes: mark.length / 2, totalLines: 0 },
    });
  });

  test.each(["utf-16le", "utf-16be"] as const)("%s with a byte order mark", async (encoding) => {
    const bytes = Buffer.from("\ufeffgrüße\r\n😀 zwei\n", "utf16le");
    place.put("a.txt", encoding === "utf-16le" ? bytes : bytes.swap16());
    const { output, details } = await read("a.txt");
    expect(output).toBe(`1|grüße\n2|😀 zwei\n[encoding ${encoding.toUpperCase()}; mixed line endings]`);
    expect(details.encoding).toBe(encoding);
  });

  test("UTF-16 that ends in the middle of a chunk's pair", async () => {
    place.put("a.txt", Buffer.from(`\ufeff${"😀\n".repeat(200_000)}`, "utf16le"));
    const { output, details } = await read("a.txt", { offset: 199_999 });
    expect(output).toBe("199999|😀\n200000|😀\n[encoding UTF-16LE]");
    expect(details.totalLines).toBe(200_000);
  });

  test("text that is not UTF-8 is read as Latin-1", async () => {
    place.put("a.txt", Buffer.from("caf\xe9\nd\xe9j\xe0\n", "latin1"));
    expect(await shown("a.txt")).toBe("1|café\n2|déjà\n[not UTF-8: read as Latin-1]");
  });

  test("one bad byte does not make a UTF-8 file another one", async () => {
    place.put(
      "a.txt",
      Buffer.concat([Buffer.from("grüße 😀\nna"), Buffer.of(0xef), Buffer.from("ve\nżółw\n")]),
    );
    expect(await shown("a.txt")).toBe(
      "1|grüße 😀\n2|na\ufffdve\n3|żółw\n[not all of it is UTF-8: other bytes are shown as \ufffd]",
    );
    place.put("b.txt", Buffer.concat([Buffer.from("\ufeffna"), Buffer.of(0xef), Buffer.from("ve\n")]));
    expect(await shown("b.txt")).toStartWith("1|na\ufffdve\n[not all of it is UTF-8");
  });

  test("text with the quotes and dashes of Windows is read as such", async () => {
    place.put("a.txt", Buffer.from("\x93caf\xe9\x94 \x96 5 \x80\r\n", "latin1"));
    const { output, details } = await read("a.txt");
    expect(output).toBe("1|“café” – 5 €\n[not UTF-8: read as Windows-1252; CRLF line endings]");
    expect(details["encoding"]).toBe("windows-1252");
    // 0x81 is no character there.
    place.put("b.txt", Buffer.from("\x93caf\xe9\x81\n", "latin1"));
    expect((await read("b.txt")).details["encoding"]).toBe("latin1");
  });

  test("a character on the border of the first four megabytes does not make the file Latin-1", async () => {
    place.put("a.txt", `${"x".repeat(4 * 1024 * 1024 - 1)}ä\nend\n`);
    expect((await read("a.txt")).details.encoding).toBe("utf-8");
  });
});

describe("what is no text", () => {
  test.each([
    ["data.gz", Buffer.from("1f8b0800000000000003", "hex"), "application/gzip, 10 bytes"],
    ["data.bin", Buffer.from([1, 2, 0, 3]), "application/octet-stream, 4 bytes"],
    ["doc.pdf", Buffer.from("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "latin1"), "application/pdf, 15 bytes"],
    [
      "noise",
      Buffer.from(Array.from({ length: 999 }, (_, i) => ((i * 37) % 255) + 1)),
      "application/octet-stream, 999 bytes",
    ],
  ])("%s is refused with its type and size", async (name, bytes, facts) => {
    place.put(name, bytes);
    const output = `read: '${name}' is not text (${facts}): use python or a program that knows it (BINARY)`;
    expect(await read(name)).toEqual({
      isError: true,
      output,
      details: { success: false, error: output, code: "BINARY" },
    });
  });

  test("a directory is refused, naming ls", async () => {
    mkdirSync(join(place.project, "src"));
    expect(await shown("src")).toBe("read: 'src' is a directory: use ls (EISDIR)");
  });

  test("a pipe and a device are refused, and do not hang", async () => {
    execFileSync("mkfifo", [join(place.project, "pipe")]);
    expect(await shown("pipe")).toBe("read: 'pipe' is not a regular file (EINVAL)");
    expect(await shown("/dev/zero")).toBe("read: '/dev/zero' is not a regular file (EINVAL)");
  });

  test("a file without a size that has content is read", async () => {
    expect(await shown("/proc/self/status", { limit: 1 })).toStartWith("1|Name:\t");
  });
});

describe("paths", () => {
  test("are relative to the session's directory, absolute, below ~ or below @project", async () => {
    const file = place.put("src/a.txt", "x");
    mkdirSync(join(place.project, "inner"));
    const from = (path: string) => place.run("read", { path }, { cwd: join(place.project, "inner") });
    for (const path of ["../src/a.txt", file, "@project/src/a.txt", "~/../project/src/a.txt"]) {
      expect(await from(path)).toMatchObject({ isError: false, output: "1|x", details: { path: file } });
    }
  });

  test.each([
    ["@project/../x", "read: '@project/../x' must not contain '..' (OUTSIDE_PROJECT)"],
    ["a\0b", "read: field 'path' must not contain a NUL character (INVALID_INPUT)"],
    ["", "read: field 'path' must not be empty (INVALID_INPUT)"],
    ["x".repeat(300), `read: the path '${"x".repeat(100)}…' is too long (ENAMETOOLONG)`],
  ])("%p is refused in one line", async (path, line) => {
    expect(await shown(path)).toBe(line);
  });

  test.each([
    [{ offset: 0 }, "read: field 'offset' must be a whole number, not 0 (INVALID_INPUT)"],
    [{ limit: 0 }, "read: field 'limit' must be a whole number of at least 1 (INVALID_INPUT)"],
    [{ limit: 1.5 }, "read: field 'limit' must be a whole number of at least 1 (INVALID_INPUT)"],
    [{ lines: 3 }, "read: unknown field 'lines' (INVALID_INPUT)"],
  ])("%j is refused in one line", async (more, line) => {
    place.put("a", "a");
    expect(await shown("a", more)).toBe(line);
  });

  test("that are links to nothing are told as that", async () => {
    symlinkSync("gone.txt", join(place.project, "link"));
    const issue = "'link' is a link to 'gone.txt', which does not exist (ENOENT)";
    expect(await shown("link")).toBe(`read: ${issue}`);
    expect(await shown("link/deeper")).toBe(`read: ${issue}`);
    expect(await place.output("edit", { path: "link", old_text: "a", new_text: "b" })).toBe(`edit: ${issue}`);
    expect(await place.output("grep", { path: "link", pattern: "a" })).toBe(`grep: ${issue}`);
  });

  test("that lead nowhere get the nearest names", async () => {
    place.put("src/index.ts", "");
    place.put("src/README.md", "");
    place.put("src/straße.txt", "");
    expect(await shown("src/indxe.ts")).toBe(
      "read: no such file 'src/indxe.ts'; did you mean 'src/index.ts'? (ENOENT)",
    );
    expect(await shown("src/readme.MD")).toBe(
      "read: no such file 'src/readme.MD'; did you mean 'src/README.md'? (ENOENT)",
    );
    expect(await shown("src/index.js")).toBe(
      "read: no such file 'src/index.js'; did you mean 'src/index.ts'? (ENOENT)",
    );
    expect(await shown("scr/index.ts")).toBe(
      "read: no such file 'scr/index.ts': there is no 'scr'; did you mean 'src'? (ENOENT)",
    );
    expect(await shown("src/nothing-like-it")).toBe("read: no such file 'src/nothing-like-it' (ENOENT)");
    expect(await shown("src/index.ts/x")).toBe(
      "read: a part of the path 'src/index.ts/x' is a file, not a directory (ENOTDIR)",
    );
  });

  test("through links work, and circles of links are told", async () => {
    place.put("a.txt", "x");
    symlinkSync("a.txt", join(place.project, "link"));
    symlinkSync("loop", join(place.project, "loop"));
    expect(await shown("link")).toBe("1|x");
    expect(await shown("loop")).toBe("read: 'loop' goes through a loop of links (ELOOP)");
  });
});

describe("artifacts", () => {
  test("are read by their name, in ranges, without colours", async () => {
    const writer = place.artifacts.create();
    writer.write(Buffer.from(`\x1b[31mred\x1b[0m\n${numbered(3)}\n`));
    writer.close();
    expect(await shown(`artifact://${writer.id}`, { limit: 2 })).toBe(
      "1|red\n2|line 1\n[lines 1-2 of 4; continue with offset 3]",
    );
  });

  test("that are gone, or are no names, are told", async () => {
    for (const name of ["artifact://gone", "artifact://../../etc/passwd"]) {
      expect(await shown(name)).toBe(
        `read: no such artifact '${name}': it does not exist or was cleaned up (ENOENT)`,
      );
    }
  });
});

test("the summary names the range", () => {
  const tool = place.tools.get("read");
  const check = tool?.check({ path: "a.ts", offset: 5, limit: 10 });
  expect(check?.ok === true && tool?.summary(check.input)).toBe("a.ts, from line 5, 10 lines");
});
