/** Random texts against a reference that is too simple to be wrong. */

import { describe, expect, test } from "bun:test";
import { applyEdits, type TextEdit } from "../../../src/tools/files/edit-plan.ts";
import { seeded } from "./file-place.ts";

/** Few different characters, so that texts repeat, overlap and nearly match. */
const alphabet = ["a", "b", " ", "\n", "\r", "é", "😀"];

function randomText(next: (below: number) => number, length: number, letters = alphabet): string {
  return Array.from({ length: next(length) }, () => letters[next(letters.length)]).join("");
}

function placesOf(text: string, part: string): number[] {
  const found: number[] = [];
  for (let at = 0; at + part.length <= text.length; at++) if (text.startsWith(part, at)) found.push(at);
  return found;
}

/** Undefined where the edits must be refused. */
function reference(text: string, edits: readonly TextEdit[]): string | undefined {
  const owner: (number | undefined)[] = new Array(text.length).fill(undefined);
  const put = new Map<number, { end: number; text: string }>();
  let spans = 0;
  for (const { oldText, newText, replaceAll } of edits) {
    if (oldText === "" || oldText === newText) return undefined;
    const anywhere = placesOf(text, oldText);
    if (anywhere.length === 0 || (anywhere.length > 1 && !replaceAll)) return undefined;
    const places: number[] = [];
    for (const at of anywhere) {
      if (at >= (places.at(-1) ?? -oldText.length) + oldText.length) places.push(at);
    }
    for (const at of places) {
      const span = spans++;
      for (let index = at; index < at + oldText.length; index++) {
        if (owner[index] !== undefined) return undefined;
        owner[index] = span;
      }
      put.set(at, { end: at + oldText.length, text: newText });
    }
  }
  let result = "";
  for (let at = 0; at < text.length; ) {
    const here = put.get(at);
    result += here?.text ?? text[at];
    at = here?.end ?? at + 1;
  }
  return result;
}

function randomEdits(next: (below: number) => number, text: string, letters: string[]): TextEdit[] {
  return Array.from({ length: 1 + next(3) }, () => {
    const start = next(text.length + 1);
    const taken = text.slice(start, start + next(6));
    return {
      oldText: next(8) === 0 ? randomText(next, 4, letters) : taken,
      newText: randomText(next, 6, letters),
      replaceAll: next(3) === 0,
    };
  });
}

function made(text: string, edits: readonly TextEdit[]): string | undefined {
  const outcome = applyEdits(text, edits);
  return "done" in outcome ? outcome.done.text : undefined;
}

describe("on random texts", () => {
  const withoutReturns = alphabet.filter((letter) => letter !== "\r");

  test("edits give what the reference gives, or are refused like there", () => {
    const next = seeded(1);
    let applied = 0;
    for (let round = 0; round < 20_000; round++) {
      const text = randomText(next, 40, withoutReturns);
      const edits = randomEdits(next, text, withoutReturns);
      const expected = reference(text, edits);
      if (expected !== undefined) applied++;
      expect({ text, edits, result: made(text, edits) }).toEqual({ text, edits, result: expected });
    }
    // The test means something only when both happen often.
    expect(applied).toBeGreaterThan(2_000);
    expect(applied).toBeLessThan(18_000);
  });

  test("a CRLF file gets the same edits as its LF twin, and stays CRLF", () => {
    const next = seeded(2);
    for (let round = 0; round < 10_000; round++) {
      const text = randomText(next, 40, withoutReturns);
      const edits = randomEdits(next, text, withoutReturns);
      // The file has a newline that tells what its endings are, also where the random text has none.
      const twin = made(`${text}\n`, edits);
      const result = made(`${text}\n`.replaceAll("\n", "\r\n"), edits);
      expect(result).toBe(twin?.replaceAll("\n", "\r\n"));
    }
  });

  test("in a file with any mixture of endings nothing outside the edit changes", () => {
    const next = seeded(3);
    for (let round = 0; round < 10_000; round++) {
      const [before, after] = [randomText(next, 30), randomText(next, 30)];
      // Marks that the alphabet does not have make the edit unique.
      const text = `${before}<x>${after}`;
      const result = made(text, [{ oldText: "<x>", newText: "<y>", replaceAll: false }]);
      expect(result).toBe(`${before}<y>${after}`);
    }
  });

  test("lines given for context keep their endings", () => {
    const next = seeded(4);
    for (let round = 0; round < 5_000; round++) {
      const lines = Array.from({ length: 6 }, (_, index) => `line ${index}${next(2) === 0 ? "\n" : "\r\n"}`);
      const text = lines.join("");
      const old = text.replaceAll("\r\n", "\n");
      const result = made(text, [
        { oldText: old, newText: old.replace("line 3", "changed"), replaceAll: false },
      ]);
      expect(result).toBe(text.replace("line 3", "changed"));
    }
  });
});

test("line numbers are those of the original", () => {
  const outcome = applyEdits("a\nb\nc\nb\n", [{ oldText: "b", newText: "x\ny\nz", replaceAll: true }]);
  expect("done" in outcome && outcome.done).toEqual({
    text: "a\nx\ny\nz\nc\nx\ny\nz\n",
    lines: [2, 4],
    replacements: 2,
  });
});

test("a text with a hundred thousand places is edited at once", () => {
  const text = "x\r\n".repeat(100_000);
  const result = made(text, [{ oldText: "x\n", newText: "y\nz\n", replaceAll: true }]);
  expect(result).toBe("y\r\nz\r\n".repeat(100_000));
});
