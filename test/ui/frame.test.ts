/** The live region as text: what it shows, and that it always fits. */

import { describe, expect, test } from "bun:test";
import { noUsage } from "../../src/protocol/index.ts";
import { emptyPrompt, promptWith } from "../../src/ui/input/prompt-state.ts";
import type { UiEvent } from "../../src/ui/store/event.ts";
import type { QuestionChange } from "../../src/ui/store/question-state.ts";
import { reduce } from "../../src/ui/store/reduce.ts";
import { initialState, type UiState } from "../../src/ui/store/state.ts";
import { makeTheme } from "../../src/ui/theme.ts";
import { frame } from "../../src/ui/views/frame.ts";

const plain = makeTheme({ hasColors: false, isLight: false, isAscii: false });
const commands = [
  { name: "help", description: "what there is" },
  { name: "quit", description: "the end" },
];

function stateAfter(events: readonly UiEvent[], columns = 60, rows = 20): UiState {
  const start = initialState({ columns, rows, cwd: "~/project" });
  return events.reduce((state, event) => reduce(state, event, 1_000), start);
}

function drawn(state: UiState, prompt = emptyPrompt, now = 4_500) {
  const view = { theme: plain, width: state.size.columns, isExpanded: state.isExpanded, now };
  return frame({ state, prompt, commands, view });
}

const call: UiEvent = {
  type: "tool_call",
  id: "a",
  name: "bash",
  input: { command: "make", description: "Build it" },
};

describe("the frame", () => {
  test("shows what runs with its time, what waits, the prompt and the facts", () => {
    const state = stateAfter([
      {
        type: "facts",
        facts: {
          model: "some/model",
          contextTokens: 200_000,
          usedTokens: 50_000,
          costUsd: 1.5,
          branch: "main",
        },
      },
      { type: "started", what: "working" },
      call,
      { type: "tool_update", id: "a", text: "one\ntwo\n" },
      { type: "queued", texts: ["and then this"] },
    ]);
    expect(drawn(state).lines.join("\n")).toBe(
      [
        "● bash Build it · 3 s",
        "  $ make",
        "  one",
        "  two",
        "",
        "● running bash · 3 s · Esc to interrupt",
        "  ○ and then this",
        "  Up to take back",
        "─".repeat(60),
        "❯ Ask anything · / commands · ! shell · $ Python",
        "~/project · main       some/model · 50k tokens, 25 % · $1.50",
      ].join("\n"),
    );
  });

  test("has no progress line for what takes less than a second", () => {
    const state = stateAfter([{ type: "started", what: "working" }]);
    expect(drawn(state, emptyPrompt, 1_900).lines).toHaveLength(3);
  });

  test("is never higher than the screen or wider than its lines, whatever runs", () => {
    const long = Array.from({ length: 300 }, (_, line) => `line ${line} ${"x".repeat(500)} 漢字 🎉`).join(
      "\n",
    );
    const events: UiEvent[] = [
      { type: "started", what: "working" },
      { type: "reasoning_delta", text: long },
      { type: "text_delta", text: long },
      call,
      { type: "tool_update", id: "a", text: long },
      { type: "queued", texts: Array.from({ length: 20 }, () => long) },
    ];
    for (const isExpanded of [false, true])
      for (const [columns, rows] of [
        [80, 24],
        [120, 40],
        [40, 15],
        [20, 8],
      ] as const) {
        const state = { ...stateAfter(events, columns, rows), isExpanded };
        for (const prompt of [emptyPrompt, promptWith("/"), promptWith(long)]) {
          const { lines, cursor } = drawn(state, prompt);
          expect(lines.length).toBeLessThan(rows);
          expect(Math.max(...lines.map((line) => Bun.stringWidth(line)))).toBeLessThanOrEqual(columns);
          expect(cursor?.y ?? 0).toBeLessThan(lines.length);
        }
      }
  });

  test("lists the calls that wait for those before them, until they start", () => {
    const calls = ["one", "two", "three"].map((command, at) => ({
      type: "tool_call" as const,
      id: `c${at}`,
      name: "bash",
      input: { command },
    }));
    const answer: UiEvent = {
      type: "assistant",
      message: { role: "assistant", content: calls },
      reason: "tool_calls",
      usage: noUsage,
    };
    const started = (count: number) =>
      calls.slice(0, count).map(({ type, ...call }): UiEvent => ({ type, ...call }));
    const shown = (count: number) =>
      drawn(stateAfter([answer, ...started(count)])).lines.filter((line) => line.startsWith("○"));
    expect([shown(1), shown(2), shown(3)]).toEqual([
      ["○ bash two · waiting", "○ bash three · waiting"],
      ["○ bash three · waiting"],
      [],
    ]);
  });

  describe("a question", () => {
    const always = { answer: "always", label: "Always", description: "git push", confirm: "Always?" };
    const question = {
      id: 1,
      tool: "bash",
      title: "Allow bash? Not on the safe list: git push",
      details: ["git push", "a → /b"],
      rows: [{ answer: "once", label: "Yes", description: "" }, always],
      onEscape: "no",
    };
    const asked: UiEvent = { type: "asked", question };
    const changed = (change: QuestionChange): UiEvent => ({ type: "question_changed", id: 1, change });
    const shown = (prompt: string, ...changes: readonly QuestionChange[]) => {
      const { lines, cursor } = drawn(stateAfter([asked, ...changes.map(changed)]), promptWith(prompt));
      return { lines: lines.slice(1, -1), cursor };
    };
    const head = [question.title, "  git push", "  a → /b"];

    test("takes the place of an empty prompt, and has no mark before its answers count", () => {
      expect(shown("")).toEqual({
        lines: [...head, "  Yes", "  Always (git push)", "Stop typing to answer"],
        cursor: undefined,
      });
      expect(shown("", { isReady: true, chosen: 1 })).toEqual({
        lines: [...head, "  Yes", "❯ Always (git push)", "Up, Down and Enter to answer · Esc to stop"],
        cursor: undefined,
      });
    });

    test("asks once more where an answer says so, beginning with the way back", () => {
      expect(shown("", { isReady: true, chosen: 0, confirming: always }).lines).toEqual([
        "Always?",
        ...head.slice(1),
        "❯ No, go back",
        "  Yes (git push)",
        "Up, Down and Enter to answer · Esc to stop",
      ]);
    });

    test("leaves the draft below it, which has Enter", () => {
      const { lines, cursor } = shown("my words", { isReady: true });
      expect(lines.slice(3)).toEqual([
        "  Yes",
        "  Always (git push)",
        "Up or Down to answer · Enter to send your message",
        "─".repeat(60),
        "❯ my words",
      ]);
      expect(cursor).toEqual({ x: 10, y: 8 });
    });
  });

  test("the menu stands where the facts were, and the cursor in the text", () => {
    const { lines, cursor } = drawn(stateAfter([]), promptWith("/q"));
    expect([lines.slice(1), cursor]).toEqual([["❯ /q", "❯ /quit  the end"], { x: 4, y: 1 }]);
  });
});
