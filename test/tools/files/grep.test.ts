import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { sharedWatchdog } from "../../../src/process/watchdog.ts";
import { type FilePlace, filePlace } from "./file-place.ts";

let place: FilePlace;
beforeEach(() => {
  place = filePlace();
});
afterEach(() => sharedWatchdog().close());

const grep = (pattern: string, more: Record<string, unknown> = {}) => place.run("grep", { pattern, ...more });
const found = async (pattern: string, more: Record<string, unknown> = {}) =>
  (await grep(pattern, more)).output;

describe("matches", () => {
  test("come under their file's name, sorted by path, with facts for scripts", async () => {
    place.put("src/b.ts", "let foo = 1;\n");
    place.put("src/a.ts", "// foo\nbar\nfoo()\n");
    place.put("z.md", "foo\n");
    expect(await grep("foo")).toEqual({
      isError: false,
      output: "src/a.ts\n1:// foo\n3:foo()\n\nsrc/b.ts\n1:let foo = 1;\n\nz.md\n1:foo",
      details: { path: place.project, matches: 4, files: 3, truncated: false, timedOut: false },
    });
  });

  test("come with lines around them, and a mark where lines are left out", async () => {
    place.put("a", "1\n2\nfoo\n4\n5\n6\n7\n8\nfoo\n10\n");
    expect(await found("foo", { context: 1 })).toBe("a\n2-2\n3:foo\n4-4\n--\n8-8\n9:foo\n10-10");
    expect(await found("foo")).toBe("a\n3:foo\n9:foo");
  });

  test("as file names or counts", async () => {
    place.put("a", "foo\nfoo foo\n");
    place.put("b/c", "foo\n");
    expect(await found("foo", { mode: "files" })).toBe("a\nb/c");
    expect(await found("foo", { mode: "count" })).toBe("a:2\nb/c:1\n[3 matching lines in all]");
  });

  test("of none are said to be none", async () => {
    place.put("a", "x\n");
    for (const mode of ["content", "files", "count"]) {
      expect(await grep("foo", { mode })).toMatchObject({
        isError: false,
        output: "No matches for 'foo' in . (ignored and hidden files are not searched)",
        details: { matches: 0, files: 0 },
      });
    }
    expect(await found("foo", { path: "a" })).toBe("No matches for 'foo' in a");
  });

  test("in long lines are clipped", async () => {
    place.put("a.min.js", `foo${"x".repeat(100_000)}\n`);
    const output = await found("foo");
    expect(output).toStartWith("a.min.js\n1:fooxxx");
    expect(output).toEndWith("[... omitted end of long line]");
    expect(output.length).toBeLessThan(600);
  });

  test("in CRLF and UTF-16 files are found, line ends included", async () => {
    place.put("crlf", "foo\r\nbar\r\n");
    place.put("utf16", Buffer.from("\ufeffgrüße foo\n", "utf16le"));
    expect(await found("foo$")).toBe("crlf\n1:foo\n\nutf16\n1:grüße foo");
  });

  test("in binary files are only counted", async () => {
    place.put("data.bin", Buffer.from("foo\0bar"));
    expect(await found("foo", { path: "data.bin" })).toBe(
      "No matches for 'foo' in data.bin\n[1 binary file not shown]",
    );
  });

  test("have file names that may hold anything but a newline", async () => {
    place.put("grüße 😀/a:1-b.txt", "foo\n");
    expect(await found("foo")).toBe("grüße 😀/a:1-b.txt\n1:foo");
  });
});

describe("the limit", () => {
  test("counts what is not shown", async () => {
    place.put("a", "foo\n".repeat(5));
    place.put("b", "foo\n".repeat(5));
    const { output, details } = await grep("foo", { limit: 6 });
    expect(output).toBe(
      "a\n1:foo\n2:foo\n3:foo\n4:foo\n5:foo\n\nb\n1:foo\n[showing 6 of 10 matches in 2 files; narrow the search or raise limit]",
    );
    expect(details).toMatchObject({ matches: 10, files: 2, truncated: true });
    expect(await found("foo", { limit: 1, mode: "files" })).toBe(
      "a\n[showing 1 of 2 files; narrow the search or raise limit]",
    );
  });

  test("is 100 by default, and 30,000 characters in any case", async () => {
    place.put("a", "foo\n".repeat(1234));
    expect(await found("foo")).toEndWith(
      "\n100:foo\n[showing 100 of 1,234 matches in 1 file; narrow the search or raise limit]",
    );
    place.put("a", `foo ${"x".repeat(400)}\n`.repeat(1000));
    const { output } = await grep("foo", { limit: 1000 });
    expect(output.length).toBeLessThan(30_200);
    expect(output).toMatch(/\[showing \d\d of 1,000 matches in 1 file; /);
  });

  test("gives the same first files in every run, among ten thousand", async () => {
    place = filePlace();
    for (let index = 0; index < 10_000; index++) place.put(`d${index % 100}/f${index}`, `foo ${index}\n`);
    const first = await grep("foo", { limit: 50 });
    expect(first.details).toMatchObject({ matches: 10_000, files: 10_000, truncated: true });
    const expected = Array.from({ length: 10_000 }, (_, index) => `d${index % 100}/f${index}`)
      .sort()
      .slice(0, 50);
    expect(first.output.split("\n").filter((line) => line.startsWith("d"))).toEqual(expected);
    expect((await grep("foo", { limit: 50 })).output).toBe(first.output);
    expect((await found("foo", { limit: 50, mode: "files" })).split("\n").slice(0, 50)).toEqual(expected);
  });
});

describe("what is searched", () => {
  beforeEach(() => {
    place.put(".gitignore", "node_modules/\n*.gen.ts\n");
    place.put("src/a.ts", "foo\n");
    place.put("src/a.gen.ts", "foo\n");
    place.put("src/.hidden.ts", "foo\n");
    place.put("src/b.py", "foo\n");
    place.put("node_modules/x/index.ts", "foo\n");
    place.put(".github/w.yml", "foo\n");
    place.put(".git/config.ts", "foo\n");
  });

  test.each([
    [{}, ["src/a.ts", "src/b.py"]],
    [{ glob: "*.ts" }, ["src/a.ts"]],
    [{ glob: "**/*.ts" }, ["src/a.ts"]],
    [{ glob: "*" }, ["src/a.ts", "src/b.py"]],
    [{ glob: "src/*.{ts,py}" }, ["src/a.ts", "src/b.py"]],
    [{ glob: "{src/*.ts,lib/*.js}" }, ["src/a.ts"]],
    [{ glob: "src/**" }, ["src/a.ts", "src/b.py"]],
    [{ glob: "!*.py" }, ["src/a.ts"]],
    [{ glob: ".github/**" }, [".github/w.yml"]],
    [{ glob: ".*.ts" }, ["src/.hidden.ts"]],
    [{ path: "src" }, ["src/a.ts", "src/b.py"]],
    [{ path: "src", glob: "a.*" }, ["src/a.ts"]],
    [{ path: "src/a.gen.ts" }, ["src/a.gen.ts"]],
    [{ path: "node_modules/x" }, ["node_modules/x/index.ts"]],
    [{ path: ".github" }, [".github/w.yml"]],
  ])("%j", async (input, files) => {
    expect((await found("foo", { mode: "files", ...input })).split("\n")).toEqual(files);
  });

  test("paths are shown relative to the working directory, or whole when outside", async () => {
    const inner = join(place.project, "src");
    const from = async (path: string) =>
      (await place.run("grep", { pattern: "foo", path }, { cwd: inner })).output;
    expect(await from("a.ts")).toBe("a.ts\n1:foo");
    expect(await from("../.github")).toBe(`${join(place.project, ".github/w.yml")}\n1:foo`);
    expect(await from("@project/src/b.py")).toBe("b.py\n1:foo");
  });

  test("the user's own ripgrep settings do not count", async () => {
    place.put("../home/.ripgreprc", "--no-ignore\n");
    expect(await found("foo", { mode: "files", glob: "*.ts" })).toBe("src/a.ts");
  });
});

describe("the pattern", () => {
  test("is a regular expression, with look-around, in any case when asked", async () => {
    place.put("a", "Foo bar\nfoo baz\n-x\n");
    expect(await found("FOO", { ignore_case: true })).toBe("a\n1:Foo bar\n2:foo baz");
    expect(await found("foo (?!bar)\\w+")).toBe("a\n2:foo baz");
    expect(await found("(o)\\1")).toBe("a\n1:Foo bar\n2:foo baz");
    expect(await found("-x")).toBe("a\n3:-x");
    expect(await found("ä|\\bbar$")).toBe("a\n1:Foo bar");
  });

  test("that names a newline is matched across lines", async () => {
    place.put("a", "foo(\n  1)\nfoo(2)\n\\n\n");
    expect(await found("foo\\(\\n\\s+1")).toBe("a\n1:foo(\n2:  1)");
    expect(await found("foo\\(\n")).toBe("a\n1:foo(");
    expect(await found("foo[^\\n]*")).toBe("a\n1:foo(\n3:foo(2)");
    expect(await found("\\\\n")).toBe("a\n4:\\n");
  });

  test.each([
    [{ pattern: "(foo" }, "grep: invalid regex: unclosed group (INVALID_REGEX)"],
    [{ pattern: "a{2,1}" }, /^grep: invalid regex: .* \(INVALID_REGEX\)$/],
    [{ pattern: "(?<=a" }, "grep: invalid regex: missing closing parenthesis (INVALID_REGEX)"],
    [{ pattern: "a", glob: "[" }, "grep: invalid glob: unclosed character class; missing ']' (INVALID_GLOB)"],
    [{ pattern: "" }, "grep: field 'pattern' must not be empty (INVALID_INPUT)"],
    [
      { pattern: "a", context: -1 },
      "grep: field 'context' must be a whole number of at least 0 (INVALID_INPUT)",
    ],
    [
      { pattern: "a", mode: "x" },
      "grep: field 'mode' must be one of content, files, count, not 'x' (INVALID_INPUT)",
    ],
    [{ pattern: "a", path: "nope" }, "grep: no such file or directory 'nope' (ENOENT)"],
    [{ pattern: "a", path: "/dev/zero" }, "grep: '/dev/zero' is neither a file nor a directory (EINVAL)"],
  ])("%j is refused in one line", async (input, line) => {
    place.put("a", "x\n");
    const { output, isError } = await place.run("grep", input);
    if (typeof line === "string") expect(output).toBe(line);
    else expect(output).toMatch(line);
    expect(isError).toBe(true);
  });
});

test("a repository's own ignore files count, also those of its directories", async () => {
  execFileSync("git", ["init", "-q", place.project]);
  place.put("sub/.gitignore", "*.log\n");
  place.put("sub/a.log", "foo\n");
  place.put("a.log", "foo\n");
  place.put(".git/info/exclude", "b.txt\n");
  place.put("b.txt", "foo\n");
  expect(await found("foo", { mode: "files" })).toBe("a.log");
});

test("a pattern that names an existing path is found as it is spelled, too", async () => {
  place.put("app/[id]/page.tsx", "x\n");
  place.put("app/(main)/a+b.ts", "x\n");
  place.put("routes.ts", "see app/[id]/page.tsx\nand app/(main)/a+b.ts\nnot app/d/page.tsx\n");
  expect(await found("app/[id]/page.tsx")).toBe("routes.ts\n1:see app/[id]/page.tsx\n3:not app/d/page.tsx");
  expect(await found("app/(main)/a+b.ts")).toBe("routes.ts\n2:and app/(main)/a+b.ts");
  expect(await found("other/[id]/page.tsx")).toStartWith("No matches");
});

describe("a glob that names an existing path", () => {
  beforeEach(() => {
    place.put(".gitignore", "dist/\n");
    for (const path of [
      "app/[id]/page.tsx",
      "app/i/page.tsx",
      "dist/out.ts",
      "[id].ts",
      "lib/[id].ts",
      "i.ts",
    ])
      place.put(path, "foo\n");
  });

  test.each([
    [{ glob: "app/[id]/page.tsx" }, ["app/[id]/page.tsx"]],
    [{ glob: "[id]/page.tsx", path: "app" }, ["app/[id]/page.tsx"]],
    [{ glob: "app/[id]" }, ["app/[id]/page.tsx"]],
    [{ glob: "dist/out.ts" }, ["dist/out.ts"]],
    [{ glob: "[id].ts" }, ["[id].ts", "i.ts", "lib/[id].ts"]],
    [{ path: "app/[id]/page.tsx" }, ["app/[id]/page.tsx"]],
  ])("%j is searched", async (input, files) => {
    expect((await found("foo", { ...input, mode: "files" })).split("\n")).toEqual(files);
  });
});
