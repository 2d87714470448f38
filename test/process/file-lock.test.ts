import { afterEach, beforeEach, expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tryLock } from "../../src/process/file-lock.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "omp-lock-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test("a file is locked once, until it is closed", () => {
  const [first, second] = [openSync(join(directory, "lock"), "w"), openSync(join(directory, "lock"), "w")];
  expect(tryLock(first)).toBe(true);
  expect(tryLock(second)).toBe(false);
  closeSync(first);
  expect(tryLock(second)).toBe(true);
  closeSync(second);
});

test("a file that cannot be locked is an error, not a lock that another process has", () => {
  const file = openSync(join(directory, "lock"), "w");
  closeSync(file);
  expect(() => tryLock(file)).toThrow("lock: the file system refused to lock a file (EBADF)");
});
