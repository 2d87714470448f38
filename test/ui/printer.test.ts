/** What is given to Ink, and what is written past it: Ink makes an object of every letter, so a long text must not go through it. */

import { describe, expect, spyOn, test } from "bun:test";
import { Printer } from "../../src/ui/screen/printer.ts";
import type { UiEvent } from "../../src/ui/store/event.ts";
import { reduce } from "../../src/ui/store/reduce.ts";
import { initialState, type UiState } from "../../src/ui/store/state.ts";
import { makeTheme } from "../../src/ui/theme.ts";

const theme = makeTheme({ hasColors: false, isLight: false, isAscii: false });
const start = initialState({ columns: 80, rows: 24, cwd: "/project" });
const view = { theme, width: 80, isExpanded: false, now: 0 };

function after(...events: readonly UiEvent[]): UiState {
  return events.reduce((state, event) => reduce(state, event, 0), start);
}

/** @returns the lines that Ink gets, and those that are written past it. */
function print(printer: Printer, state: UiState): { readonly ink: string[]; readonly past: string[] } {
  const { items } = printer.take(state, view);
  const ink = items.flatMap(({ lines }) => [...lines]);
  const text = printer.drawn(state, view, 10, () => "") ?? "";
  return { ink, past: text.split("\n").slice(0, -1) };
}

function paragraphs(count: number): string[] {
  return Array.from({ length: count }, (_, at) => [`paragraph ${at}`, ""]).flat();
}

describe("a text that arrives", () => {
  test("is printed by Ink while it is short", () => {
    const state = after({ type: "text_delta", text: paragraphs(9).join("\n") });
    const { ink, past } = print(new Printer(), state);
    expect([ink.length, past]).toEqual([16, []]);
  });

  test("is written past Ink when it is long, once, and what follows comes after it", () => {
    const text = paragraphs(10_000).join("\n");
    const long = after({ type: "text_delta", text });
    const printer = new Printer();
    const first = print(printer, long);
    const again = print(printer, long);
    const end: UiEvent = { type: "notice", text: "the end" };
    const last = print(printer, [{ type: "text_delta" as const, text: "\n\nlast" }, end].reduce(next, long));
    expect([first.ink, again, last.past]).toEqual([[], { ink: [], past: [] }, []]);
    expect(first.past.length).toBeGreaterThan(19_990);
    expect([...first.past, ...last.ink].filter((line) => line !== "")).toEqual(
      paragraphs(10_000).filter((line) => line !== ""),
    );
  });

  test("may have hundreds of thousands of lines", () => {
    const { past } = print(new Printer(), after({ type: "text_delta", text: "a\n\n".repeat(150_000) }));
    expect(past.length).toBeGreaterThan(290_000);
  });
});

test("restoring a session of twice as many calls copies twice as much", () => {
  const [few, many] = [copied(200), copied(400)];
  expect(many / few).toBeLessThan(2.5);
});

/** Elements that were taken out of lists to make other lists. */
function copied(calls: number): number {
  const result = { isError: false, output: "", details: {} };
  const events = Array.from({ length: calls }, (_, at): UiEvent[] => [
    { type: "tool_call", id: `${at}`, name: "bash", input: {} },
    { type: "tool_result", id: `${at}`, name: "bash", result },
  ]).flat();
  let elements = 0;
  const { values } = Array.prototype;
  const spy = spyOn(Array.prototype, Symbol.iterator).mockImplementation(function (this: unknown[]) {
    elements += this.length;
    return values.call(this);
  });
  try {
    reduce(start, { type: "restored", events }, 0);
  } finally {
    spy.mockRestore();
  }
  return elements;
}

function next(state: UiState, event: UiEvent): UiState {
  return reduce(state, event, 0);
}
