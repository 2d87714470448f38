import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { InputHistory } from "../../src/interactive/input-history.ts";
import { temporaryDirectory } from "../support/home.ts";

function historyIn(home: string): InputHistory {
  return new InputHistory({ env: { HOME: home }, cwd: home });
}

test("what was entered is there for the next key, before it is on the disk", async () => {
  const history = historyIn(temporaryDirectory());
  await history.load();
  let isOnDisk = false;
  const kept = history.add("an input").then(() => {
    isOnDisk = true;
  });
  // Promises alone, and no turn of the event loop in which a disk could answer.
  for (let step = 0; step < 20; step += 1) await undefined;
  expect({ entries: history.entries, isOnDisk }).toEqual({ entries: ["an input"], isOnDisk: false });
  await kept;
});

test("a session that comes later has it, too", async () => {
  const home = temporaryDirectory();
  expect(await historyIn(home).add("an input")).toBeUndefined();
  const later = historyIn(home);
  await later.load();
  expect(later.entries).toEqual(["an input"]);
});

test("what cannot be kept is told once, and is there for this session all the same", async () => {
  const home = temporaryDirectory();
  mkdirSync(join(home, ".omp", "agent", "history.jsonl"), { recursive: true });
  const history = historyIn(home);
  expect(await history.add("an input")).toBe("Input history was not saved: EISDIR");
  expect(await history.add("another")).toBeUndefined();
  expect(history.entries).toEqual(["an input", "another"]);
});
