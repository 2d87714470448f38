import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { sharedWatchdog } from "../../../src/process/watchdog.ts";
import { type FilePlace, filePlace } from "./file-place.ts";

let place: FilePlace;
beforeEach(() => {
  place = filePlace();
});
afterEach(() => sharedWatchdog().close());

const find = (pattern: string, more: Record<string, unknown> = {}) => place.run("find", { pattern, ...more });

describe("what is found", () => {
  beforeEach(() => {
    place.put(".gitignore", "dist/\n*.log\n");
    for (const path of [
      "main.ts",
      "src/a.ts",
      "src/deep/b.test.ts",
      "src/deep/c.py",
      "src/x.log",
      "dist/out.ts",
      ".env",
      ".github/workflows/ci.yml",
      ".git/HEAD",
    ]) {
      place.put(path, "");
    }
    mkdirSync(join(place.project, "empty"));
  });

  test.each([
    [{ pattern: "*.ts" }, ["main.ts", "src/a.ts", "src/deep/b.test.ts"]],
    [{ pattern: "**/*.ts" }, ["main.ts", "src/a.ts", "src/deep/b.test.ts"]],
    [{ pattern: "./*.ts" }, ["main.ts"]],
    [{ pattern: "/*.ts", path: "src" }, ["src/a.ts"]],
    [{ pattern: "src/*.ts" }, ["src/a.ts"]],
    [{ pattern: "src/**" }, ["src/a.ts", "src/deep/b.test.ts", "src/deep/c.py"]],
    [{ pattern: "*.{py,ts}", path: "src/deep" }, ["src/deep/b.test.ts", "src/deep/c.py"]],
    [{ pattern: "deep/*", path: "src" }, ["src/deep/b.test.ts", "src/deep/c.py"]],
    [{ pattern: "*" }, ["main.ts", "src/a.ts", "src/deep/b.test.ts", "src/deep/c.py"]],
    [{ pattern: "[ab].ts" }, ["src/a.ts"]],
    [{ pattern: ".env" }, [".env"]],
    [{ pattern: ".github/**" }, [".github/workflows/ci.yml"]],
    [{ pattern: "*", type: "directory" }, ["src/", "src/deep/"]],
    [{ pattern: "deep", type: "directory" }, ["src/deep/"]],
    [{ pattern: "src/*", type: "any" }, ["src/a.ts", "src/deep/"]],
    [{ pattern: "out.ts", path: "dist" }, ["dist/out.ts"]],
  ])("%j", async (input, paths) => {
    expect((await place.run("find", input)).output.split("\n")).toEqual(paths);
  });

  test("a pattern may hold the directory itself", async () => {
    expect((await find(`${place.project}/src/deep/*.py`)).output).toBe("src/deep/c.py");
    expect((await find(`${place.project}/src/*`)).output).toBe("src/a.ts");
    expect((await find("~/../project/src/a.ts")).output).toBe("src/a.ts");
    expect((await find("@project/src/deep/*.py")).output).toBe("src/deep/c.py");
    expect((await find(`../${basename(place.project)}/src/*`)).output).toBe("src/a.ts");
  });

  test("nothing is said to be nothing", async () => {
    expect(await find("*.rs")).toEqual({
      isError: false,
      output: "Nothing matches '*.rs' in . (ignored and hidden files are left out)",
      details: { path: place.project, matches: 0, truncated: false, timedOut: false },
    });
  });

  test("in a directory without files nothing is found", async () => {
    expect((await find("*", { path: "empty" })).output).toStartWith("Nothing matches '*' in empty");
  });
});

describe("a pattern that names an existing path", () => {
  beforeEach(() => {
    place.put(".gitignore", "dist/\n");
    for (const path of [
      "app/[id]/page.tsx",
      "app/i/page.tsx",
      "app/[...slug]/page.tsx",
      "app/[[lang]]/[id]/view.ts",
      "app/(group)/page.tsx",
      "{{name}}/setup.py",
      "dist/out.ts",
    ])
      place.put(path, "");
  });

  test.each([
    [{ pattern: "app/[id]/page.tsx" }, ["app/[id]/page.tsx"]],
    [{ pattern: "./app/[id]/page.tsx" }, ["app/[id]/page.tsx"]],
    [{ pattern: "[id]/page.tsx", path: "app" }, ["app/[id]/page.tsx"]],
    [{ pattern: "@project/app/[id]/page.tsx" }, ["app/[id]/page.tsx"]],
    [{ pattern: "app/[...slug]/page.tsx" }, ["app/[...slug]/page.tsx"]],
    [{ pattern: "app/(group)/page.tsx" }, ["app/(group)/page.tsx"]],
    [{ pattern: "{{name}}/setup.py" }, ["{{name}}/setup.py"]],
    [{ pattern: "dist/out.ts" }, ["dist/out.ts"]],
    [{ pattern: "app/[id]" }, ["app/[id]/"]],
    [{ pattern: "app/[id]/", type: "directory" }, ["app/[id]/"]],
  ])("%j is that path", async (input, paths) => {
    expect((await place.run("find", input)).output.split("\n")).toEqual(paths);
  });

  test.each([
    [{ pattern: "app/[[lang]]/[id]/*.ts" }, ["app/[[lang]]/[id]/view.ts"]],
    [{ pattern: "app/[id]/*.{ts,tsx}" }, ["app/[id]/page.tsx", "app/i/page.tsx"]],
    [{ pattern: "**/[...slug]/*" }, ["app/[...slug]/page.tsx"]],
    [{ pattern: "[id]", type: "directory" }, ["app/[[lang]]/[id]/", "app/[id]/", "app/i/"]],
    [{ pattern: "*/setup.py" }, ["{{name}}/setup.py"]],
  ])("in part, %j, finds what brackets mean and what they spell", async (input, paths) => {
    expect((await place.run("find", input)).output.split("\n")).toEqual(paths);
  });

  test("of another type is not it", async () => {
    expect((await find("app/[id]", { type: "file" })).output).toStartWith("Nothing matches 'app/[id]'");
  });
});

test("ten thousand files are found, sorted, and counted beyond the limit", async () => {
  for (let index = 0; index < 10_000; index++) place.put(`d${index % 50}/f${index}.txt`, "");
  const { output, details } = await find("*.txt", { limit: 3 });
  expect(output).toBe(
    "d0/f0.txt\nd0/f100.txt\nd0/f1000.txt\n[showing 3 of 10,000; narrow the pattern or raise limit]",
  );
  expect(details).toMatchObject({ matches: 10_000, truncated: true });
  const all = await find("*.txt", { limit: 20_000 });
  expect(all.output.length).toBeLessThan(30_200);
  expect(all.output).toMatch(/\[showing [\d,]+ of 10,000; /);
});

test.each([
  [{ pattern: "*", path: "nope" }, "find: no such file or directory 'nope' (ENOENT)"],
  [{ pattern: "*", path: "file" }, "find: 'file' is a file, not a directory (ENOTDIR)"],
  [{ pattern: "" }, "find: field 'pattern' must not be empty (INVALID_INPUT)"],
  [{ pattern: "a\0b" }, "find: field 'pattern' must not contain a NUL character (INVALID_INPUT)"],
  [
    { pattern: "*", type: "link" },
    "find: field 'type' must be one of file, directory, any, not 'link' (INVALID_INPUT)",
  ],
])("%j is refused in one line", async (input, line) => {
  place.put("file", "");
  expect(await place.run("find", input)).toMatchObject({ isError: true, output: line });
});
