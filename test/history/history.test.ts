import { expect, test } from "bun:test";
import type { SessionEntry } from "../../src/history/entry.ts";
import { historyOf } from "../../src/history/history.ts";
import type { AgentEvent, Message } from "../../src/protocol/index.ts";
import { assistant, call, result, user } from "./sessions.ts";

const summary = (text: string): Message => user(`summary: ${text}`).message;

function history(...events: readonly AgentEvent[]): string[] {
  const entries = events.map((event) => ({ ...event, at: "2026-01-01T00:00:00.000Z" }) as SessionEntry);
  return historyOf(entries, summary).map((message) =>
    message.role === "tool"
      ? `${message.callId}${message.isError ? "!" : ""}: ${message.output}`
      : `${message.role}: ${message.content.map((part) => ("text" in part ? part.text : part.type)).join(" ")}`,
  );
}

const noResult = "[omp exited before this call finished: whether it took effect is not known]";

test("a conversation comes back as it was", () => {
  expect(history(user("do"), assistant("ok", call("a")), result("a", "done"), assistant("fine"))).toEqual([
    "user: do",
    "assistant: ok tool_call",
    "a: done",
    "assistant: fine",
  ]);
});

test("calls that ended in another order stand in the model's, and one without a result is answered", () => {
  expect(
    history(user("do"), assistant("ok", call("a"), call("b"), call("c")), result("c", "3"), result("a", "1")),
  ).toEqual(["user: do", "assistant: ok tool_call tool_call tool_call", "a: 1", `b!: ${noResult}`, "c: 3"]);
});

test("a session that ended in the middle of a call goes on with the next prompt behind its answer", () => {
  expect(history(user("do"), assistant("ok", call("a")), user("and now?"))).toEqual([
    "user: do",
    "assistant: ok tool_call",
    `a!: ${noResult}`,
    "user: and now?",
  ]);
});

test("ids that every turn gives anew belong to their own turn", () => {
  expect(
    history(
      user("do"),
      assistant("one", call("0")),
      result("0", "first"),
      assistant("two", call("0")),
      result("0", "second"),
    ),
  ).toEqual(["user: do", "assistant: one tool_call", "0: first", "assistant: two tool_call", "0: second"]);
});

test("a result whose call is nowhere is left out", () => {
  expect(history(user("do"), result("x", "lost"))).toEqual(["user: do"]);
});

test("a compaction says what the conversation is from there on", () => {
  const kept = [user("one").message, summary("so far"), { role: "assistant", content: [call("a")] } as const];
  const compacted: AgentEvent = { type: "compacted", summary: "so far", tokensBefore: 9, history: kept };
  const before = [user("one"), assistant("1"), assistant("2", call("a")), result("a", "done")];
  expect(history(...before, compacted, assistant("3"))).toEqual([
    "user: one",
    "user: summary: so far",
    "assistant: tool_call",
    `a!: ${noResult}`,
    "assistant: 3",
  ]);
});

test("a compaction of an old log replaces what was before it, but for the turns that it kept", () => {
  const compacted = (keptUserMessages: number): AgentEvent => ({
    type: "compacted",
    summary: "so far",
    tokensBefore: 9,
    keptUserMessages,
  });
  const before = [user("one"), assistant("1"), user("two"), assistant("2", call("a")), result("a", "done")];
  const after = assistant("3");
  expect(history(...before, compacted(0), after)).toEqual(["user: summary: so far", "assistant: 3"]);
  expect(history(...before, compacted(1), after)).toEqual([
    "user: summary: so far",
    "user: two",
    "assistant: 2 tool_call",
    "a: done",
    "assistant: 3",
  ]);
  expect(history(...before, compacted(2), after).slice(0, 3)).toEqual([
    "user: summary: so far",
    "user: one",
    "assistant: 1",
  ]);
  expect(history(...before, compacted(1), after, compacted(0))).toEqual(["user: summary: so far"]);
});

test("what the user ran without the model is no part of its conversation", () => {
  const input = { command: "ls" };
  const hidden: AgentEvent = { type: "tool_call", id: "private-1", name: "bash", input, by: "private" };
  expect(history(user("hello"), hidden, result("private-1", "x"))).toEqual(["user: hello"]);
});
