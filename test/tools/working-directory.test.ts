import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { resolveWorkingDirectory } from "../../src/tools/fields.ts";
import { temporaryDirectory } from "../support/home.ts";

test("a path is relative to the session's directory, which is also the default", () => {
  const base = temporaryDirectory();
  mkdirSync(join(base, "inner"));
  expect(resolveWorkingDirectory("exec", undefined, { cwd: base })).toBe(base);
  expect(resolveWorkingDirectory("exec", "inner", { cwd: base })).toBe(join(base, "inner"));
  expect(resolveWorkingDirectory("exec", "inner/..", { cwd: base })).toBe(base);
  expect(resolveWorkingDirectory("exec", "/", { cwd: base })).toBe("/");
  expect(resolveWorkingDirectory("exec", "~", { cwd: "/", home: base })).toBe(base);
  expect(resolveWorkingDirectory("exec", "~/inner", { cwd: "/", home: base })).toBe(join(base, "inner"));
});

test("one that cannot be used is refused in one line", () => {
  const base = temporaryDirectory();
  writeFileSync(join(base, "file"), "");
  symlinkSync("loop", join(base, "loop"));
  const refusal = (path: string | undefined, from = base) => {
    try {
      return resolveWorkingDirectory("exec", path, { cwd: from });
    } catch (error) {
      return String(error instanceof Error ? error.message : error);
    }
  };
  expect(refusal("/tmp/ghost/of/omp")).toBe(
    "exec: Working directory does not exist '/tmp/ghost/of/omp' (ENOENT)",
  );
  expect(refusal("file")).toBe(`exec: Working directory is not a directory '${base}/file' (ENOTDIR)`);
  expect(refusal("file/x")).toBe(`exec: Working directory is not a directory '${base}/file/x' (ENOTDIR)`);
  expect(refusal("loop")).toBe(`exec: Working directory cannot be used '${base}/loop' (ELOOP)`);
  expect(refusal(undefined, join(base, "gone"))).toBe(
    `exec: Working directory does not exist '${base}/gone' (ENOENT)`,
  );
});
