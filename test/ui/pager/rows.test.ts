import { expect, test } from "bun:test";
import { LineIndex } from "../../../src/ui/pager/line-index.ts";
import { MAX_ROW_BYTES, RowReader } from "../../../src/ui/pager/rows.ts";
import { findText, searchQuery } from "../../../src/ui/pager/search.ts";
import { MemoryFile } from "./memory-file.ts";

async function forwards(content: string | Uint8Array) {
  const file = new MemoryFile(content);
  return await new RowReader(file).rowsFrom(0, 1_000_000, await file.size());
}

async function backwards(content: string | Uint8Array): Promise<number[]> {
  const file = new MemoryFile(content);
  const size = await file.size();
  const reader = new RowReader(file);
  const starts: number[] = [];
  for (let at = size; at > 0; ) {
    const before = at;
    at = await reader.rowStartBefore(before, size);
    starts.push(at);
    expect(at).toBeLessThan(before);
  }
  return starts.reverse();
}

const texts: Record<string, string> = {
  plain: "one\ntwo\nthree\n",
  "no line feed at the end": "one\ntwo",
  "empty lines": "\n\na\n\n",
  "only a line feed": "\n",
  empty: "",
  "long lines": `a\n${"x".repeat(MAX_ROW_BYTES)}\n${"y".repeat(MAX_ROW_BYTES + 1)}\n${"z".repeat(3 * MAX_ROW_BYTES - 1)}\nb`,
  "wide characters in long lines": `${"日本語".repeat(MAX_ROW_BYTES)}\nend\n`,
};

for (const [name, text] of Object.entries(texts)) {
  test(`rows go forwards and backwards over the same places: ${name}`, async () => {
    const rows = await forwards(text);
    expect(await backwards(text)).toEqual(rows.map(({ start }) => start));
    const bytes = Buffer.byteLength(text);
    expect(rows.at(-1)?.next ?? 0).toBe(bytes);
  });

  test(`the text of the rows is the text of the file: ${name}`, async () => {
    const rows = await forwards(text);
    const lines = rows.map((row, at) => (at > 0 && !row.isContinuation ? "\n" : "") + row.text).join("");
    expect(lines).toBe(text.replace(/\n$/, ""));
  });
}

test("a line too long to look for its start is read in pieces from anywhere", async () => {
  const starts = await backwards(new Uint8Array(2_000_000));
  expect(starts[0]).toBe(0);
  expect(starts.length).toBe(Math.ceil(2_000_000 / MAX_ROW_BYTES));
});

test("a row knows where it starts from any place inside it", async () => {
  const text = texts["long lines"] ?? "";
  const file = new MemoryFile(text);
  const reader = new RowReader(file);
  for (const { start, next } of await forwards(text)) {
    expect(await reader.rowStartAt(start, text.length)).toBe(start);
    expect(await reader.rowStartAt(next - 1, text.length)).toBe(start);
  }
});

test("the index finds every line and the line of every offset, also when its table was halved many times", async () => {
  const lines = Array.from({ length: 40_000 }, (_, at) => `${at} ${"·".repeat(at % 50)}`);
  const content = Buffer.from(lines.join("\n"));
  const index = new LineIndex(new MemoryFile(content), { maxEntries: 4 });
  while (await index.advance(content.length)) expect(index.indexedBytes).toBeGreaterThan(0);
  expect([index.indexedBytes, index.knownLines]).toEqual([content.length, lines.length]);
  for (let at = 1; at <= lines.length; at += 997) {
    const offset = await index.offsetOf(at);
    expect(content.toString("utf8", offset).startsWith(`${at - 1} `)).toBe(true);
    expect(await index.lineAt(offset ?? 0)).toBe(at);
    expect(await index.lineAt((offset ?? 0) + 1)).toBe(at);
  }
  expect(await index.offsetOf(lines.length + 1)).toBeUndefined();
});

test("two that go on with the index at once count nothing twice", async () => {
  const content = "line\n".repeat(300_000);
  const index = new LineIndex(new MemoryFile(content));
  const go = async (): Promise<void> => {
    while (await index.advance(content.length));
  };
  await Promise.all([go(), go()]);
  expect(index.knownLines).toBe(300_000);
});

test("the index does not answer for what it has not seen, and goes on when the file grows", async () => {
  const file = new MemoryFile("a\nb");
  const index = new LineIndex(file);
  expect(await index.lineAt(2)).toBeUndefined();
  await index.advance(3);
  expect([await index.lineAt(2), index.knownLines]).toEqual([2, 2]);
  file.append("b\nc\n");
  await index.advance(7);
  expect([index.knownLines, await index.offsetOf(3)]).toEqual([3, 5]);
});

test("a search finds what lies across two pieces, forwards and backwards", async () => {
  const piece = 1_048_576;
  for (const at of [0, piece - 3, piece - 1, piece, 2 * piece - 2]) {
    const content = Buffer.alloc(2 * piece + 10, "x");
    content.write("NeedlE", at);
    const file = new MemoryFile(content);
    const range = { from: 0, to: content.length, size: content.length };
    expect(await findText(file, { direction: "forward", query: searchQuery("needle"), ...range })).toBe(at);
    expect(await findText(file, { direction: "backward", query: searchQuery("needle"), ...range })).toBe(at);
    expect(
      await findText(file, { direction: "forward", query: searchQuery("Needle"), ...range }),
    ).toBeUndefined();
  }
});

test("forwards finds the first, backwards the last", async () => {
  const content = "a-b-c-größe-";
  const size = Buffer.byteLength(content);
  const file = new MemoryFile(content);
  expect(
    await findText(file, { direction: "forward", query: searchQuery("-"), from: 0, to: size, size }),
  ).toBe(1);
  expect(
    await findText(file, { direction: "backward", query: searchQuery("-"), from: 0, to: size, size }),
  ).toBe(size - 1);
  expect(await findText(file, { direction: "backward", query: searchQuery("-"), from: 0, to: 5, size })).toBe(
    3,
  );
  expect(
    await findText(file, { direction: "forward", query: searchQuery("größe"), from: 0, to: size, size }),
  ).toBe(6);
});
