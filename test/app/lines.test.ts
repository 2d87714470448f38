import { expect, test } from "bun:test";
import { lines, wholeText } from "../../src/app/lines.ts";

const never = new AbortController().signal;

function inPieces(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.subarray(at, at + size));
      controller.close();
    },
  });
}

test("lines are the same however the bytes are split", async () => {
  const bytes = new TextEncoder().encode("\uFEFFone\r\n\ntwo é 🐍\nlast");
  for (let size = 1; size <= bytes.length; size += 1) {
    expect(await Array.fromAsync(lines(inPieces(bytes, size), never))).toEqual([
      "one",
      "",
      "two é 🐍",
      "last",
    ]);
  }
  expect(await wholeText(inPieces(bytes, 3), never)).toBe("one\r\n\ntwo é 🐍\nlast");
});

test("a stream that cannot be read is told in one line", async () => {
  const refused = Object.assign(new Error("is a directory"), { code: "EISDIR" });
  const message = "omp: cannot read stdin (EISDIR)";
  const broken = () =>
    new ReadableStream<Uint8Array>({
      pull: () => {
        throw refused;
      },
    });
  expect(wholeText(broken(), never)).rejects.toThrow(message);
  expect(Array.fromAsync(lines(broken(), never))).rejects.toThrow(message);
});

test("an abort ends the wait for more", async () => {
  const controller = new AbortController();
  const endless = new ReadableStream<Uint8Array>({
    start: (stream) => stream.enqueue(new TextEncoder().encode("first\nsecond")),
  });
  const seen: string[] = [];
  for await (const line of lines(endless, controller.signal)) {
    seen.push(line);
    controller.abort();
  }
  expect(seen).toEqual(["first"]);
});
