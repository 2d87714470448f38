/** What goes on and how long: the line above the prompt, and what the status line says of Python. */

import { describe, expect, test } from "bun:test";
import type { UiEvent } from "../../src/ui/store/event.ts";
import { reduce } from "../../src/ui/store/reduce.ts";
import { initialState, type UiState } from "../../src/ui/store/state.ts";
import { makeTheme } from "../../src/ui/theme.ts";
import { isTimed, progressLines } from "../../src/ui/views/progress.ts";
import { statusLine } from "../../src/ui/views/status.ts";

const theme = makeTheme({ hasColors: false, isLight: false, isAscii: false, hasHyperlinks: false });
const start = initialState({ columns: 80, rows: 24, cwd: "~" });

/** Each event happens a second after the one before. */
function after(...events: readonly UiEvent[]): UiState {
  return events.reduce((state, event, index) => reduce(state, event, 1_000 * (index + 1)), start);
}

const line = (state: UiState, now: number, width = 80) =>
  progressLines(state, { theme, width, isExpanded: false, now }).join("\n");

const working: UiEvent = { type: "started", what: "working" };
const call: UiEvent = { type: "tool_call", id: "a", name: "python", input: {} };

describe("the line of what goes on", () => {
  test("is there for what takes longer than a second, and says what the model does", () => {
    expect(line(after(working), 1_900)).toBe("");
    expect(line(after(working), 5_000)).toBe("● waiting for the model · 4 s · Esc to interrupt");
    const thinking = after(working, { type: "reasoning_delta", text: "Hm." });
    expect(line(thinking, 5_000)).toBe("● thinking · 4 s · Esc to interrupt");
    const answering = after(working, { type: "text_delta", text: "So:" });
    expect(line(answering, 5_000)).toBe("● answering · 4 s · Esc to interrupt");
  });

  test("names the tool that runs, with its own time and that of the whole", () => {
    expect(line(after(working, call), 9_000)).toBe("● running python · 7 s of 8 s · Esc to interrupt");
    // What does not fit is left out, not cut.
    expect(line(after(working, call), 9_000, 40)).toBe("● running python · 7 s of 8 s");
  });

  test("counts down to the next try when a request has failed", () => {
    const retry: UiEvent = { type: "retry", attempt: 3, attempts: 10, delayMs: 4_000, reason: "Overloaded" };
    const state = after(working, retry);
    expect(line(state, 2_000)).toBe("● Retrying in 4 s · attempt 4 of 10 · Overloaded · Esc to interrupt");
    expect(line(state, 5_500)).toBe("● Retrying in 1 s · attempt 4 of 10 · Overloaded · Esc to interrupt");
    expect(line(state, 9_000)).toBe("● Retrying now · attempt 4 of 10 · Overloaded · Esc to interrupt");
    expect(line(state, 2_000, 60)).toBe("● Retrying in 4 s · attempt 4 of 10 · Esc to interrupt");
    expect(line(state, 2_000, 40)).toBe("● Retrying in 4 s · attempt 4 of 10");
    const long = after(working, { ...retry, reason: "mine is limiting requests: too many in a minute" });
    expect(line(long, 2_000)).toBe(
      "● Retrying in 4 s · attempt 4 of 10 · mine is limiting reque… · Esc to interrupt",
    );
    expect(state.finished).toEqual([]);
  });

  test("says that a cell waits for its kernel", () => {
    const starting = after(working, call, { type: "kernel", state: "starting" });
    expect(line(starting, 9_000)).toBe("● starting the Python kernel · 6 s of 8 s · Esc to interrupt");
  });

  test("tells of what goes on behind, which Esc does not end", () => {
    expect(line(after({ type: "kernel", state: "starting" }), 4_000)).toBe(
      "● starting the Python kernel · 3 s",
    );
    const listing = after({ type: "task", what: "listing the project's files", isGoing: true });
    expect(line(listing, 4_000)).toBe("● listing the project's files · 3 s");
    const done = reduce(
      listing,
      { type: "task", what: "listing the project's files", isGoing: false },
      5_000,
    );
    expect([line(done, 9_000), isTimed(done)]).toEqual(["", false]);
  });

  test("is gone while a question stands; the call's time begins with the answer", () => {
    const question = {
      id: 1,
      tool: "python",
      title: "Allow python?",
      details: ["x"],
      rows: [],
      onEscape: "no",
    };
    const asked = after(working, call, { type: "asked", question });
    expect([line(asked, 60_000), isTimed(asked)]).toEqual(["", false]);
    const answered = reduce(asked, { type: "answered", id: 1 }, 60_000);
    expect(line(answered, 63_000)).toBe("● running python · 3 s of 1 min 2 s · Esc to interrupt");
  });
});

describe("the status line says of Python", () => {
  const said = (state: UiState, now = 60_000) =>
    statusLine(state.facts, undefined, { theme, width: 80, isExpanded: false, now })
      .split(/ {2,}/)[0]
      ?.split(" · ")[1];
  const kernel = (state: UiState["facts"]["kernel"]["state"]) =>
    after({ type: "kernel", interpreter: "Python 3.13" }, { type: "kernel", state });

  test("how it stands, and since when where that matters", () => {
    expect(said(after({ type: "kernel", interpreter: "Python 3.13" }))).toBe("Python 3.13 not started");
    expect(said(kernel("starting"), 4_000)).toBe("Python 3.13 starting 2 s");
    expect(said(kernel("idle"))).toBeUndefined();
    expect(said(kernel("busy"), 12_000)).toBe("Python 3.13 busy 10 s");
    expect(said(kernel("dead"))).toBe("Python 3.13 dead");
    expect(said(kernel("unavailable"))).toBe("no Python");
  });

  test("that code has run in it, until it starts again", () => {
    const cells = [{ executionCount: 6 }, { executionCount: 7 }, { executionCount: null }];
    const result = { isError: false, output: "", details: { cells } };
    const used = reduce(kernel("idle"), { type: "tool_result", id: "a", name: "python", result }, 3_000);
    expect(said(used)).toBe("Python 3.13 [7]");
    const details = { cells: [{ executionCount: 99 }], branch: "try-2" };
    const inBranch = { isError: false, output: "", details };
    const after = reduce(used, { type: "tool_result", id: "b", name: "python", result: inBranch }, 3_000);
    expect(said(after)).toBe("Python 3.13 [7]");
    const restarted = reduce(used, { type: "kernel", state: "starting" }, 4_000);
    expect(said(reduce(restarted, { type: "kernel", state: "idle" }, 5_000))).toBeUndefined();
  });

  test("which environment it is of, and what has to be done before it can start", () => {
    const venv = reduce(kernel("starting"), { type: "kernel", environment: ".venv" }, 3_000);
    const line = (state: UiState, width = 80) =>
      statusLine(state.facts, undefined, { theme, width, isExpanded: false, now: 3_000 }).split(/ · | {2,}/);
    expect(line(venv).slice(1, 3)).toEqual([".venv", "Python 3.13 starting 1 s"]);
    // The Python of what is being made is named once, by what is being done.
    const progress = "making a Python environment with python3 (Python 3.13)";
    const made = reduce(venv, { type: "kernel", progress }, 3_000);
    expect(line(made, 120).slice(1, 3)).toEqual([".venv", `${progress} 1 s`]);
    // Where there is no room for both, its state stays.
    expect(line(venv, 36)).toEqual(["Python 3.13 starting 1 s", "starting"]);
  });

  test("busy counts from when it began, whatever else is told of it", () => {
    const busy = reduce(kernel("busy"), { type: "kernel", state: "busy", problem: undefined }, 9_000);
    expect(said(busy, 12_000)).toBe("Python 3.13 busy 10 s");
  });
});
