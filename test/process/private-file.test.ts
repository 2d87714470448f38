import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { withPrivateFile } from "../../src/process/private-file.ts";

const file = { name: "script.py", content: "print('é')\n" };

test("is there, and nobody else's, while it is used", async () => {
  const seen = await withPrivateFile(file, async (path) => ({
    content: readFileSync(path, "utf8"),
    mode: statSync(path).mode & 0o777,
    directoryMode: statSync(dirname(path)).mode & 0o777,
  }));
  expect(seen).toEqual({ content: file.content, mode: 0o600, directoryMode: 0o700 });
});

test("is gone afterwards, also when its use failed", async () => {
  const paths: string[] = [];
  await withPrivateFile(file, async (path) => paths.push(path));
  const failure = await withPrivateFile(file, async (path) => {
    paths.push(path);
    throw new Error("failed");
  }).catch((error: unknown) => error);
  expect(failure).toEqual(new Error("failed"));
  expect(paths.map((path) => existsSync(dirname(path)))).toEqual([false, false]);
});
