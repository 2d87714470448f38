import { describe, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { searchBack, stepHistory, withEntry } from "../../../src/ui/editor/history.ts";
import { HistoryFile } from "../../../src/ui/editor/history-file.ts";
import { temporaryDirectory } from "../../support/home.ts";

const entries = ["git status", "ls -l", "git push", "make Test"];

describe("stepping", () => {
  test("goes back to the oldest and forth to the draft", () => {
    const at = (back: number, text: string) => ({ back, draft: "draft", text });
    expect(stepHistory(entries, at(0, "draft"), 1)).toBe(1);
    expect(stepHistory(entries, at(1, "make Test"), 1)).toBe(2);
    expect(stepHistory(entries, at(4, "git status"), 1)).toBeUndefined();
    expect(stepHistory(entries, at(2, "git push"), -1)).toBe(1);
    expect(stepHistory(entries, at(1, "make Test"), -1)).toBe(0);
    expect(stepHistory(entries, at(0, "draft"), -1)).toBeUndefined();
  });

  test("by prefix visits only what begins like the draft", () => {
    const step = (back: number, text: string, by: 1 | -1) =>
      stepHistory(entries, { back, draft: "git", text }, by, { matchesDraft: true });
    expect(step(0, "git", 1)).toBe(2);
    expect(step(2, "git push", 1)).toBe(4);
    expect(step(4, "git status", 1)).toBeUndefined();
    expect(step(4, "git status", -1)).toBe(2);
    expect(step(2, "git push", -1)).toBe(0);
  });
});

test("searching goes backwards; a capital matches only itself", () => {
  expect(searchBack(entries, "git")).toEqual({ index: 2, text: "git push" });
  expect(searchBack(entries, "git", 2)).toEqual({ index: 0, text: "git status" });
  expect(searchBack(entries, "test")).toEqual({ index: 3, text: "make Test" });
  expect(searchBack(entries, "Git")).toBeUndefined();
  expect(searchBack(entries, "")).toBeUndefined();
});

test("a repeat moves to the end, and the oldest go", () => {
  expect(withEntry(entries, "ls -l", 3)).toEqual(["git push", "make Test", "ls -l"]);
});

describe("the file", () => {
  test("keeps inputs across sessions, private, in a private directory", async () => {
    const directory = join(temporaryDirectory(), "state");
    const path = join(directory, "history.jsonl");
    const first = new HistoryFile({ path });
    expect(await first.entries()).toEqual([]);
    for (const text of ["one", "two\nlines", "one", "  "]) expect(await first.add(text)).toBeUndefined();
    expect(await first.entries()).toEqual(["two\nlines", "one"]);
    expect(await new HistoryFile({ path }).entries()).toEqual(["two\nlines", "one"]);
    expect([statSync(path).mode & 0o777, statSync(directory).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  test("is not read before it is needed", () => {
    const path = join(temporaryDirectory(), "history.jsonl");
    new HistoryFile({ path });
    expect(readdirSync(join(path, ".."))).toEqual([]);
  });

  test("two sessions side by side lose nothing", async () => {
    const path = join(temporaryDirectory(), "history.jsonl");
    const [one, two] = [new HistoryFile({ path }), new HistoryFile({ path })];
    await Promise.all([one.add("a"), two.add("b"), one.add("c")]);
    expect([...(await new HistoryFile({ path }).entries())].sort()).toEqual(["a", "b", "c"]);
  });

  test("a torn line and foreign lines are passed over, and the next entry is not glued to them", async () => {
    const path = join(temporaryDirectory(), "history.jsonl");
    writeFileSync(path, '{"text":"good"}\n42\n{"no":1}\n{"text":"to');
    const history = new HistoryFile({ path });
    await history.add("next");
    expect(await history.entries()).toEqual(["good", "next"]);
    expect(await new HistoryFile({ path }).entries()).toEqual(["good", "next"]);
  });

  test("is made short again when it has grown, and stays private", async () => {
    const path = join(temporaryDirectory(), "history.jsonl");
    for (let count = 0; count < 30; count++)
      appendFileSync(path, `${JSON.stringify({ text: `t${count}` })}\n`);
    chmodSync(path, 0o644);
    expect(await new HistoryFile({ path, maxEntries: 3 }).entries()).toEqual(["t27", "t28", "t29"]);
    expect(readFileSync(path, "utf8")).toBe('{"text":"t27"}\n{"text":"t28"}\n{"text":"t29"}\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(path, ".."))).toEqual(["history.jsonl"]);
  });

  test("an input that is too long is used once and not kept", async () => {
    const history = new HistoryFile({ path: join(temporaryDirectory(), "h"), maxEntryCharacters: 5 });
    await history.add("123456");
    expect(await history.entries()).toEqual([]);
  });

  test("a place that cannot be written is told, and the input is remembered for this session", async () => {
    const directory = join(temporaryDirectory(), "h");
    mkdirSync(directory);
    const history = new HistoryFile({ path: directory });
    expect(await history.add("x")).toBe("Input history was not saved: EISDIR");
    expect(await history.entries()).toEqual(["x"]);
  });
});
