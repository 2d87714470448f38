import { describe, expect, test } from "bun:test";
import type { MessageOrigin, ToolResult } from "../../src/protocol/index.ts";
import type { UiEvent } from "../../src/ui/store/event.ts";
import { reduce } from "../../src/ui/store/reduce.ts";
import { type Item, initialState, type UiState } from "../../src/ui/store/state.ts";
import { Store } from "../../src/ui/store/store.ts";

const start = initialState({ columns: 80, rows: 24, cwd: "/project" });
const noUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
const done: ToolResult = { isError: false, output: "fine", details: {} };

function after(...events: readonly UiEvent[]): UiState {
  return events.reduce((state, event, index) => reduce(state, event, 1_000 * (index + 1)), start);
}

function user(text: string, origin: MessageOrigin = { kind: "typed" }): UiEvent {
  return { type: "user", message: { role: "user", origin, content: [{ type: "text", text }] } };
}

function announced(notice: string): UiEvent {
  return user(`[${notice}]`, { kind: "announcement", notice });
}

function brief(items: readonly Item[]): string[] {
  return items.map((item) => `${item.kind}: ${item.kind === "call" ? item.callId : item.text}`);
}

describe("the transcript", () => {
  test("a user's words are finished at once", () => {
    expect(after(user("hello")).finished).toEqual([
      { kind: "user", id: "item-1", text: "hello", isOpen: false },
    ]);
  });

  test("deltas are live until something else follows, and the whole message adds what is missing", () => {
    const streaming = after(
      { type: "reasoning_delta", text: "hm" },
      { type: "text_delta", text: "a" },
      { type: "text_delta", text: "b" },
    );
    expect([brief(streaming.finished), brief(streaming.live)]).toEqual([
      ["reasoning: hm"],
      ["assistant: ab"],
    ]);
    const content = [
      { type: "reasoning" as const, text: "hm" },
      { type: "text" as const, text: "ab!" },
    ];
    const whole = reduce(
      streaming,
      { type: "assistant", message: { role: "assistant", content }, reason: "stop", usage: noUsage },
      9,
    );
    expect([brief(whole.finished), brief(whole.live)]).toEqual([["reasoning: hm", "assistant: ab!"], []]);
    // The same item, which the screen may have printed a part of.
    expect(whole.finished.at(-1)?.id).toBe(streaming.live[0]?.id ?? "none");
  });

  test("a retry takes back what was half said, and says why", () => {
    const state = after(
      { type: "text_delta", text: "half" },
      { type: "retry", attempt: 2, delayMs: 2_000, reason: "overloaded" },
    );
    expect(brief([...state.finished, ...state.live])).toEqual([
      "notice: Overloaded; starting the answer again",
    ]);
    // One line counts down, and goes when the model answers.
    expect(state.retry).toEqual({ reason: "overloaded", attempt: 3, attempts: undefined, at: 4_000 });
    expect(reduce(state, { type: "text_delta", text: "whole" }, 5_000).retry).toBeUndefined();
  });

  test("calls that overlap finish in the order in which they were made", () => {
    const calls = after(
      { type: "tool_call", id: "a", name: "read", input: {} },
      { type: "tool_call", id: "b", name: "read", input: {} },
      { type: "tool_result", id: "b", name: "read", result: done },
    );
    expect([brief(calls.finished), brief(calls.live)]).toEqual([[], ["call: a", "call: b"]]);
    const both = reduce(calls, { type: "tool_result", id: "a", name: "read", result: done }, 9_000);
    expect([brief(both.finished), brief(both.live)]).toEqual([["call: a", "call: b"], []]);
  });

  test("what a person typed is drawn as typed, whatever it looks like", () => {
    const { finished } = after(user("[fix the build]"), user('<user_ran tool="bash">'), user("<stdin>"));
    expect(brief(finished)).toEqual([
      "user: [fix the build]",
      'user: <user_ran tool="bash">',
      "user: <stdin>",
    ]);
  });

  test("the report of what the user ran is for the model alone", () => {
    expect(after(user("…", { kind: "ran", tool: "bash", code: "ls" })).finished).toEqual([]);
  });

  test("what ended in the background is shown when it ends, and not again when the model reads it", () => {
    const { finished } = after(
      { type: "notice", text: "background shell bash_1 ended" },
      user("go on"),
      announced("background shell bash_1 ended"),
      user("[state is gone]", { kind: "resumed", notice: "state is gone" }),
    );
    expect(brief(finished)).toEqual(["notice: background shell bash_1 ended", "user: go on"]);
  });

  test("of an earlier session it is shown where the model read it, as is what was interrupted", () => {
    const half = { role: "assistant" as const, content: [{ type: "text" as const, text: "half" }] };
    const events: UiEvent[] = [
      user("go on"),
      announced("background shell bash_1 ended"),
      user("[state is gone]", { kind: "resumed", notice: "state is gone" }),
      { type: "assistant", message: { ...half, isInterrupted: true }, reason: "other", usage: noUsage },
    ];
    expect(brief(after({ type: "restored", events }).finished)).toEqual([
      "user: go on",
      "notice: background shell bash_1 ended",
      "notice: state is gone",
      "assistant: half",
      "notice: Interrupted",
    ]);
  });

  test("an interrupted run says so and leaves nothing half said", () => {
    const end: UiEvent = { type: "end", status: "interrupted", text: "", turns: 1, usage: noUsage };
    const state = after({ type: "started", what: "thinking" }, { type: "text_delta", text: "ha" }, end);
    expect([brief(state.finished), state.live, state.activity]).toEqual([
      ["notice: Interrupted after 2 s"],
      [],
      undefined,
    ]);
  });
});

describe("a call's output while it runs", () => {
  const call: UiEvent = { type: "tool_call", id: "a", name: "python", input: {} };
  const liveOf = ({ live: [item] }: UiState) => (item?.kind === "call" ? item.live : undefined);

  test("is kept as a tail, and counted", () => {
    const state = after(call, { type: "tool_update", id: "a", text: `${"x".repeat(100_000)}end` });
    const live = liveOf(state);
    expect([live?.chars, live?.tail.length, live?.tail.endsWith("xend")]).toEqual([100_003, 16_000, true]);
  });

  test("names the cell that runs, whatever the cells print", () => {
    const state = after(
      call,
      { type: "tool_update", id: "a", text: "[1/3] one\n", cell: 1 },
      { type: "tool_update", id: "a", text: "[2/3] not a heading\n" },
      { type: "tool_update", id: "a", text: "[2/3] two\n", cell: 2 },
    );
    expect(liveOf(state)).toEqual({
      tail: "[2/3] not a heading\n",
      chars: 20,
      lines: 1,
      cells: [
        { number: 1, startedAt: 2_000, from: 0 },
        { number: 2, startedAt: 4_000, from: 20 },
      ],
    });
  });

  test("is dropped when the result is there", () => {
    const state = after(
      call,
      { type: "tool_update", id: "a", text: "hello" },
      { type: "tool_result", id: "a", name: "python", result: done },
    );
    expect(state.finished).toEqual([
      {
        kind: "call",
        id: "item-1",
        callId: "a",
        name: "python",
        input: {},
        isAsked: false,
        by: "model",
        startedAt: 1_000,
        endedAt: 3_000,
        live: { tail: "", chars: 0, lines: 0, cells: [] },
        nested: { running: 0, failed: 0, counts: {} },
        pictures: [],
        result: { isError: false, output: "fine", cutLines: 0, details: {}, imageCount: 0, colored: "" },
      },
    ]);
  });
});

describe("messages typed meanwhile", () => {
  test("are shown as queued until the model reads them", () => {
    const waiting = after({ type: "queued", texts: ["one", "two"] });
    expect(waiting.queued).toEqual(["one", "two"]);
    expect(reduce(waiting, user("one"), 1).queued).toEqual(["two"]);
  });
});

describe("the cost", () => {
  const answer = (costUsd: number | undefined): UiEvent => ({
    type: "assistant",
    message: { role: "assistant", content: [{ type: "text", text: "x" }] },
    reason: "stop",
    usage: {
      inputTokens: 90,
      outputTokens: 10,
      cacheReadTokens: 5,
      cacheWriteTokens: 0,
      ...(costUsd === undefined ? {} : { costUsd }),
    },
  });

  test("adds up, with the context that the last request took", () => {
    const { costUsd, usedTokens, totals } = after(answer(0.25), answer(0.5)).facts;
    expect({ costUsd, usedTokens, totals }).toEqual({
      costUsd: 0.75,
      usedTokens: 105,
      totals: { input: 180, cached: 10, output: 20 },
    });
  });

  test("has that of a summary in it, after which the context is as large as what is left", () => {
    const usage = {
      inputTokens: 100,
      outputTokens: 7,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      costUsd: 0.125,
    };
    const summary = { type: "compacted", summary: "S", tokensBefore: 105, keptUserMessages: 0 } as const;
    const { costUsd, usedTokens, totals } = after(answer(0.25), { ...summary, tokensAfter: 12, usage }).facts;
    expect({ costUsd, usedTokens, totals }).toEqual({
      costUsd: 0.375,
      usedTokens: 12,
      totals: { input: 190, cached: 5, output: 17 },
    });
    expect(after(answer(0.25), summary).facts).toMatchObject({ costUsd: 0.25, usedTokens: 105 });
  });

  test("is unknown once a part of it is", () => {
    expect(after(answer(0.25), answer(undefined)).facts.costUsd).toBeUndefined();
  });
});

describe("the store", () => {
  test("tells at once what a person did, and a stream of a thousand pieces a few times", async () => {
    const store = new Store(start);
    let told = 0;
    const heard = Promise.withResolvers<void>();
    store.subscribe(() => {
      told += 1;
      if (told === 2) heard.resolve();
    });
    store.dispatch(user("go"));
    expect(told).toBe(1);
    for (let i = 0; i < 1_000; i += 1) store.dispatch({ type: "text_delta", text: "x" });
    expect(told).toBe(1);
    await heard.promise;
    expect(brief(store.get().live)).toEqual([`assistant: ${"x".repeat(1_000)}`]);
  });
});
