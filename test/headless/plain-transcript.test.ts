/** A conversation as plain text: what a person reads, and none of the model's words. */

import { expect, test } from "bun:test";
import { PlainTranscript } from "../../src/headless/plain-transcript.ts";
import type { ToolResult } from "../../src/protocol/index.ts";

function textOf(updates: readonly string[], result: ToolResult): string {
  const transcript = new PlainTranscript();
  return [
    ...updates.map((text) => transcript.textOf({ type: "tool_update", id: "a", text })),
    transcript.textOf({ type: "tool_result", id: "a", name: "bash", result }),
  ].join("");
}

const failed: ToolResult = {
  isError: true,
  output: "hi\nExit code: 3\n[the shell is new]",
  details: {
    exitCode: 3,
    segments: [{ lines: 1 }, { lines: 1, note: "" }, { lines: 1, note: "the shell is new" }],
  },
};

test("a failed call is its output, how it ended, and what a person should know", () => {
  expect(textOf([], failed)).toBe("\n[bash: exit code 3]\nhi\nthe shell is new\n");
});

test("output that was shown while it ran is not repeated", () => {
  expect(textOf(["hi\n"], failed)).toBe("hi\n\n[bash: exit code 3]\nthe shell is new\n");
  const fine = { isError: false, output: "hi", details: {} };
  expect([textOf(["hi\n"], fine), textOf([], fine)]).toEqual(["hi\n\n", "hi\n"]);
});

test.each([
  [{ timedOut: true, cancelled: true }, "timed out"],
  [{ cancelled: true, signal: "SIGINT" }, "interrupted"],
  [{ exitCode: null, signal: "SIGKILL" }, "SIGKILL"],
  [{ code: "NOT_FOUND" }, "failed"],
])("how it ended: %j", (details, words) => {
  expect(textOf([], { isError: true, output: "x", details })).toBe(`\n[bash: ${words}]\nx\n`);
});

test("what a person should know beside the conversation", () => {
  const transcript = new PlainTranscript();
  expect(transcript.textOf({ type: "notice", text: "The answer is empty." })).toBe(
    "\n[The answer is empty.]\n",
  );
  expect(transcript.textOf({ type: "compacted", summary: "S", tokensBefore: 30_000 })).toBe(
    "\n[the conversation (30k tokens) was replaced by a summary]\n",
  );
});
