import { describe, expect, test } from "bun:test";
import { applyCompletion, completionAt } from "../../../src/ui/complete/token.ts";

/** `at("see @src|")`: what can be completed where the bar is. */
function at(picture: string) {
  return completionAt(picture.replace("|", ""), picture.indexOf("|"));
}

function complete(picture: string, choice: string): string | undefined {
  const text = picture.replace("|", "");
  const token = at(picture);
  if (token === undefined) return undefined;
  const done = applyCompletion(text, token, choice);
  return `${done.text.slice(0, done.cursor)}|${done.text.slice(done.cursor)}`;
}

describe("what is at the cursor", () => {
  test("a command, only at the very start", () => {
    expect(at("/mo|")).toEqual({ kind: "command", start: 0, end: 3, query: "mo" });
    expect(at("/|model")).toEqual({ kind: "command", start: 0, end: 6, query: "" });
    expect(at("a /mo|")).toBeUndefined();
    expect(at("/usr/bin|")).toBeUndefined();
    expect(at("\n/mo|")).toBeUndefined();
  });

  test("the argument of a command", () => {
    expect(at("/model gp|")).toEqual({ kind: "argument", command: "model", start: 7, end: 9, query: "gp" });
    expect(at("/model |")).toEqual({ kind: "argument", command: "model", start: 7, end: 7, query: "" });
    expect(at("/x a b|")).toEqual({ kind: "argument", command: "x", start: 5, end: 6, query: "b" });
  });

  test("a file, wherever a word can begin", () => {
    expect(at("see @src/u| please")).toEqual({ kind: "file", start: 4, end: 10, query: "src/u" });
    expect(at("@|")).toEqual({ kind: "file", start: 0, end: 1, query: "" });
    expect(at("(@a|b)")).toEqual({ kind: "file", start: 1, end: 5, query: "a" });
    expect(at("one\n@x|")).toEqual({ kind: "file", start: 4, end: 6, query: "x" });
    expect(at("/export @x|")?.kind).toBe("file");
  });

  test("no file in an address, nor after a space", () => {
    expect(at("me@example.org|")).toBeUndefined();
    expect(at("@a b|")).toBeUndefined();
    expect(at("plain|")).toBeUndefined();
  });

  test("a file in quotes, with spaces", () => {
    expect(at('see @"my fi| le" x')).toEqual({ kind: "file", start: 4, end: 15, query: "my fi" });
    expect(at('@"say \\"hi\\"|')).toEqual({ kind: "file", start: 0, end: 12, query: 'say "hi"' });
    expect(at('@"done" x|')).toBeUndefined();
  });
});

describe("a choice goes in", () => {
  test("with one space after it", () => {
    expect(complete("see @sr|", "src/a.ts")).toBe("see @src/a.ts |");
    expect(complete("see @sr| now", "src/a.ts")).toBe("see @src/a.ts |now");
    expect(complete("/mo|", "model")).toBe("/model |");
    expect(complete("/model g|x", "gpt")).toBe("/model gpt |");
  });

  test("in quotes where the path needs them", () => {
    expect(complete("@my|", 'my "own" file.txt')).toBe('@"my \\"own\\" file.txt" |');
    expect(complete('@"my f|ile', "my file.txt")).toBe('@"my file.txt" |ile');
    expect(complete('@"my f|ile" x', "my file.txt")).toBe('@"my file.txt" |x');
  });

  test("a directory stays open for what is in it", () => {
    expect(complete("@sr|", "src/")).toBe("@src/|");
    expect(complete("@my|", "my dir/")).toBe('@"my dir/|"');
    expect(at('@"my dir/|"')).toEqual({ kind: "file", start: 0, end: 10, query: "my dir/" });
  });
});
