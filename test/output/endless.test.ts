/** Output that never ends a line: what is shown is exact, and what is kept in memory has a bound. */

import { expect, test } from "bun:test";
import { OutputSink } from "../../src/output/sink.ts";
import { modelTail } from "../../src/output/truncation.ts";

test("of one gigantic line the tail is exact, and the notice says that the line is cut", () => {
  const sink = new OutputSink({ policy: modelTail });
  const chunk = Array.from({ length: 10_000 }, (_, at) => String(at).padStart(7, "-")).join("");
  for (let count = 0; count < 300; count++) sink.write(chunk);
  const { text, notice } = sink.finish();
  expect(text).toBe(chunk.repeat(2).slice(-30_000));
  expect(notice).toBe(
    "[output cut: showing the last 30,000 characters of the only line, which is cut (1 line, 21,000,000 bytes in all)]",
  );
});

test("a line that is rewritten a million times is its last state", () => {
  const sink = new OutputSink({ policy: modelTail });
  let chunk = "";
  for (let count = 1; count <= 1_000_000; count++) {
    chunk += `\r${count} of 1000000 █████▌`;
    if (count % 1000 === 0) {
      sink.write(chunk);
      chunk = "";
    }
  }
  const { text, totalLines, truncated } = sink.finish();
  expect({ text, totalLines, truncated }).toEqual({
    text: "1000000 of 1000000 █████▌",
    totalLines: 1,
    truncated: false,
  });
});

test("a carriage return in a line wider than any terminal goes back to the start of its last row", () => {
  const sink = new OutputSink({ policy: modelTail });
  sink.write("a".repeat(16_384));
  sink.write("b\rc\n");
  expect(sink.finish().text).toBe(`${"a".repeat(16_384)}c\n`);
});

test("sequences and marks without end are not remembered", () => {
  const sink = new OutputSink({ policy: { keep: "tail", maxChars: 10, maxLines: 10 } });
  sink.write("\x1b[");
  for (let count = 0; count < 100; count++) sink.write("1;".repeat(10_000));
  sink.write("mA\x1b]0;");
  for (let count = 0; count < 100; count++) sink.write("title".repeat(10_000));
  sink.write("\x07B\b");
  for (let count = 0; count < 10; count++) sink.write("\u0301".repeat(10_000));
  sink.write("\r\x1b[2Kend\n");
  expect(sink.finish().text).toBe("end\n");
});
