import { expect, test } from "bun:test";
import { Frames } from "./frames.ts";

const frame = (text: string) => `\x1b[?2026h${text}\x1b[?2026l`;

test("a frame is held back until it is complete, wherever the pty cuts it", () => {
  const written = `before${frame("one")}between${frame("two")}after`;
  for (let cut = 0; cut <= written.length; cut += 1) {
    const frames = new Frames();
    const parts = [...frames.take(written.slice(0, cut)), ...frames.take(written.slice(cut))];
    expect(parts.join("")).toBe(written);
    expect(parts.filter((part) => part.includes("\x1b"))).toEqual([frame("one"), frame("two")]);
  }
});

test("other sequences are not held back, and an incomplete frame at the end is returned", () => {
  const frames = new Frames();
  expect(frames.take("\x1b[?2004h")).toEqual(["\x1b[?2004h"]);
  expect(frames.take("\x1b[?2026hhalf")).toEqual([]);
  expect(frames.rest()).toBe("\x1b[?2026hhalf");
  expect(frames.rest()).toBe("");
});
