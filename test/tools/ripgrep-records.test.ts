import { expect, test } from "bun:test";
import { RecordReader } from "../../src/tools/ripgrep.ts";

test("records are told from each other wherever the chunks end", () => {
  const bytes = Buffer.from("grün\0\0😀 blau\0rest");
  for (let first = 0; first <= bytes.length; first++) {
    for (let second = first; second <= bytes.length; second++) {
      const seen: string[] = [];
      const reader = new RecordReader("\0", (record) => seen.push(record));
      for (const chunk of [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)]) {
        reader.push(chunk);
      }
      reader.end();
      expect({ first, second, seen, count: reader.count }).toEqual({
        first,
        second,
        seen: ["grün", "", "😀 blau", "rest"],
        count: 4,
      });
    }
  }
});

test("a last record that is ended is not followed by an empty one", () => {
  const seen: string[] = [];
  const reader = new RecordReader("\n", (record) => seen.push(record));
  reader.push(Buffer.from("a\nb\n"));
  reader.end();
  expect(seen).toEqual(["a", "b"]);
});
