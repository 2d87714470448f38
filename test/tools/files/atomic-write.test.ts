import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OvertakenError, writeAtomically } from "../../../src/tools/files/atomic-write.ts";
import { temporaryDirectory } from "../../support/home.ts";

const content = Buffer.from("mine");

async function problem(write: Promise<unknown>): Promise<unknown> {
  return write.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test("a change between the look at a file and its replacement is noticed", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "a");
  writeFileSync(path, "old");
  const existing = statSync(path, { bigint: true });
  writeFileSync(path, "theirs");
  expect(await problem(writeAtomically({ path, content, existing }))).toBeInstanceOf(OvertakenError);
  expect(readFileSync(path, "utf8")).toBe("theirs");
  expect(readdirSync(directory)).toEqual(["a"]);
});

test("a file that appeared since is noticed", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "a");
  writeFileSync(path, "theirs");
  expect(await problem(writeAtomically({ path, content, existing: undefined }))).toBeInstanceOf(
    OvertakenError,
  );
  expect(readFileSync(path, "utf8")).toBe("theirs");
});

test("a file that was removed since is not made again", async () => {
  const directory = temporaryDirectory();
  const path = join(directory, "a");
  writeFileSync(path, "old");
  const existing = statSync(path, { bigint: true });
  await Bun.file(path).delete();
  expect(await problem(writeAtomically({ path, content, existing }))).toBeInstanceOf(Error);
  expect(existsSync(path)).toBe(false);
  expect(readdirSync(directory)).toEqual([]);
});

test("a reader sees the old content or the new, never a part", async () => {
  const path = join(temporaryDirectory(), "a");
  const [old, now] = [Buffer.alloc(300_000, "o"), Buffer.alloc(500_000, "n")];
  writeFileSync(path, old);
  let done = false;
  const writing = (async () => {
    for (let round = 0; round < 20; round++) {
      await writeAtomically({
        path,
        content: round % 2 === 0 ? now : old,
        existing: statSync(path, { bigint: true }),
      });
    }
    done = true;
  })();
  let looks = 0;
  while (!done) {
    const seen = await Bun.file(path).bytes();
    expect([old.length, now.length]).toContain(seen.length);
    expect(new Set([seen[0], seen[seen.length - 1]]).size).toBe(1);
    looks++;
  }
  await writing;
  expect(looks).toBeGreaterThan(0);
});
