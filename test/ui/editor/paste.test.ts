import { expect, test } from "bun:test";
import { expandPastes, insertPaste, placeholderAt } from "../../../src/ui/editor/paste.ts";
import { from, run, show } from "./show.ts";

const log = Array.from({ length: 123 }, (_, line) => `line ${line}`).join("\n");

test("a small paste goes in as it is, made plain", () => {
  expect(show(insertPaste(from("a|b"), "x\r\ny\rz\x1b[31mred\x1b[0m\x07\t."))).toBe("ax\ny\nzred\t.|b");
});

test("a large paste is folded, and whole again when it is sent", () => {
  const state = insertPaste(from("see | please"), log);
  expect(show(state)).toBe("see [Pasted text #1 +123 lines]| please");
  expect(expandPastes(state)).toBe(`see ${log} please`);
});

test("the line break at the end of a paste is not a line more", () => {
  const state = insertPaste(from("|"), `${log}\n`);
  expect(show(state)).toBe("[Pasted text #1 +123 lines]|");
  expect(expandPastes(state)).toBe(`${log}\n`);
  expect(show(insertPaste(from("|"), `${"x".repeat(5_000)}\n`))).toBe("[Pasted text #1 +5000 characters]|");
});

test("one very long line is folded by its characters", () => {
  expect(show(insertPaste(from("|"), "x".repeat(5_000)))).toBe("[Pasted text #1 +5000 characters]|");
});

test("each paste has its number, and brings back its own text only", () => {
  const inner = `${log}\n[Pasted text #2 +123 lines]`;
  const state = insertPaste(insertPaste(from("|"), inner), log.toUpperCase());
  expect(state.text).toBe("[Pasted text #1 +124 lines][Pasted text #2 +123 lines]");
  expect(expandPastes(state)).toBe(inner + log.toUpperCase());
});

test("a placeholder that nobody pasted is text", () => {
  expect(expandPastes(from("[Pasted text #1 +9 lines]|"))).toBe("[Pasted text #1 +9 lines]");
});

test("the cursor goes over a placeholder in one step, and one key deletes it", () => {
  const state = insertPaste(from("a|b"), log);
  const folded = "[Pasted text #1 +123 lines]";
  expect(show(run(state, "cursor-left"))).toBe(`a|${folded}b`);
  expect(show(run(state, "cursor-left", "cursor-right"))).toBe(`a${folded}|b`);
  expect(show(run(state, "word-left"))).toBe(`a|${folded}b`);
  expect(show(run(state, "cursor-left", "word-right"))).toBe(`a${folded}|b`);
  expect(show(run(state, "delete-backward"))).toBe("a|b");
  expect(show(run(state, "cursor-left", "delete-forward"))).toBe("a|b");
  expect(show(run(state, "kill-chunk-backward"))).toBe("a|b");
  expect(show(run(insertPaste(from("a |b"), log), "kill-chunk-backward"))).toBe("a |b");
  expect(show(run(state, "text-start", "cursor-right", "cursor-up"))).toBe(`|a${folded}b`);
});

test("undo takes a paste back whole", () => {
  expect(show(run(insertPaste(from("a|b"), log), "undo"))).toBe("a|b");
});

test("the place of a placeholder is known from inside and from its sides", () => {
  const state = insertPaste(from("a|b"), log);
  const span = { start: 1, end: state.text.length - 1 };
  expect(placeholderAt(state, 5)).toEqual(span);
  expect(placeholderAt(state, span.end)).toBeUndefined();
  expect(placeholderAt(state, span.end, "before")).toEqual(span);
  expect(placeholderAt(state, 1, "after")).toEqual(span);
});
