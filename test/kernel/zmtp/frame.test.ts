import { expect, test } from "bun:test";
import { BY_REFERENCE_BYTES, encodeCommand, encodeMessage } from "../../../src/kernel/zmtp/frame.ts";

test("the header has a one-byte length up to 255, an eight-byte one above, and MORE on all but the last frame", () => {
  const bytes = Buffer.concat(
    encodeMessage([Buffer.alloc(0), Buffer.alloc(255, "a"), Buffer.alloc(256, "b")]),
  );
  expect(bytes).toEqual(
    Buffer.concat([
      Buffer.from([1, 0]),
      Buffer.from([1, 255]),
      Buffer.alloc(255, "a"),
      Buffer.from([2, 0, 0, 0, 0, 0, 0, 1, 0]),
      Buffer.alloc(256, "b"),
    ]),
  );
});

test("a message of small frames is one piece", () => {
  expect(encodeMessage(Array.from({ length: 1000 }, () => Buffer.from("x")))).toHaveLength(1);
});

test("large bodies are handed over as they are, and only they", () => {
  const large = Buffer.alloc(BY_REFERENCE_BYTES, "L");
  const small = Buffer.alloc(BY_REFERENCE_BYTES - 1, "s");
  const pieces = encodeMessage([large, small, large, large, small]);
  expect(pieces.map((piece) => piece.length)).toEqual([
    9,
    large.length,
    9 + small.length + 9,
    large.length,
    9,
    large.length,
    9 + small.length,
  ]);
  expect(pieces.filter((piece) => piece === large)).toHaveLength(3);
  expect(encodeMessage([small, large]).map((piece) => piece.length)).toEqual([
    9 + small.length + 9,
    large.length,
  ]);
});

test("a command is one frame with the COMMAND flag, short or long", () => {
  expect(encodeCommand(Buffer.from("ab"))).toEqual(Buffer.from([4, 2, 0x61, 0x62]));
  expect(encodeCommand(Buffer.alloc(256)).subarray(0, 9)).toEqual(Buffer.from([6, 0, 0, 0, 0, 0, 0, 1, 0]));
});
