/** What a screen reader is given, from one state to the next. */

import { describe, expect, test } from "bun:test";
import { Speech } from "../../src/ui/speech/speech.ts";
import type { UiEvent } from "../../src/ui/store/event.ts";
import { reduce } from "../../src/ui/store/reduce.ts";
import { initialState } from "../../src/ui/store/state.ts";

/** The lines that each event adds. */
function said(events: readonly UiEvent[]): string[][] {
  const speech = new Speech();
  let state = initialState({ columns: 60, rows: 20, cwd: "/" });
  return events.map((event, at) => {
    state = reduce(state, event, 1_000 * at);
    return speech.take(state);
  });
}

const cells = [{ title: "load", code: "x = 1" }, { code: "print(x)" }];
const call: UiEvent = { type: "tool_call", id: "a", name: "python", input: { cells } };
const result: UiEvent = {
  type: "tool_result",
  id: "a",
  name: "python",
  result: {
    isError: false,
    output: "[1/2] load\n[2/2]\n1\n[1/2] late\n[a note for the model]",
    details: {
      segments: [
        { lines: 1, note: "" },
        { lines: 1, note: "" },
        { lines: 2, cell: 1 },
        { lines: 1, note: "a note for a person" },
      ],
      cells: [
        { status: "ok", durationMs: 300 },
        { status: "ok", durationMs: 1_000 },
      ],
    },
  },
};

describe("a call", () => {
  test("is said in whole lines as they come, and its end in words", () => {
    const update = (text: string): UiEvent => ({ type: "tool_update", id: "a", text });
    const start = (cell: number): UiEvent => ({ type: "tool_update", id: "a", text: `[${cell}/2]\n`, cell });
    const ending = ["python cell 1 of 2, ok, 0.3 seconds", "python cell 2 of 2, ok, 1 second", ""];
    expect(said([call, start(1), start(2), update("1\n[1/2] la"), result])).toEqual([
      ["python, load, 2 cells"],
      ["python cell 1 of 2, load, running"],
      ["python cell 2 of 2, running"],
      ["1"],
      ["[1/2] late", "a note for a person", ...ending],
    ]);
    expect(said([call, result])).toEqual([
      ["python, load, 2 cells"],
      ["python cell 2 of 2, running", "1", "[1/2] late", "a note for a person", ...ending],
    ]);
  });

  test("that printed a thousand lines at once is heard from its end", () => {
    const text = `${Array.from({ length: 1_000 }, (_, at) => at + 1).join("\n")}\n`;
    const [, lines = []] = said([call, { type: "tool_update", id: "a", text }]);
    expect(lines).toHaveLength(21);
    expect([lines[0], lines[1], lines[20]]).toEqual(["980 lines omitted", "981", "1000"]);
  });
});

describe("an answer", () => {
  const delta = (text: string): UiEvent => ({ type: "text_delta", text });
  const whole = (text: string): UiEvent => ({
    type: "assistant",
    message: { role: "assistant", content: [{ type: "text", text }] },
    reason: "stop",
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 0 },
  });

  test("is said by paragraphs, each of them once", () => {
    const text = "First *one*.\n\nThen another.\n\nThe last.";
    expect(said([delta("First *o"), delta("ne*.\n\nThen"), delta(" another.\n\nThe"), whole(text)])).toEqual([
      [],
      ["First one."],
      ["Then another."],
      ["The last.", ""],
    ]);
  });

  test("that began anew is said anew", () => {
    const again: UiEvent = { type: "retry", attempt: 2, delayMs: 1_000, reason: "overloaded" };
    const lines = said([delta("Wrong.\n\nHalf"), again, delta("Right.\n\nWhole"), whole("Right.\n\nWhole.")]);
    expect(lines[0]).toEqual(["Wrong."]);
    expect(lines.slice(2)).toEqual([["Right."], ["Whole.", ""]]);
  });
});
