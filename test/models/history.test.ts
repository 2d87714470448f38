/** Histories that providers would refuse are made into ones that they take. */

import { expect, test } from "bun:test";
import { settledHistory } from "../../src/models/history.ts";
import type { AssistantMessage, Message, ToolMessage } from "../../src/protocol/model.ts";

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const calls = (...ids: string[]): AssistantMessage => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "tool_call", id, name: "ls", input: {} })),
});
const result = (callId: string): ToolMessage => ({
  role: "tool",
  callId,
  name: "ls",
  output: "x",
  isError: false,
});
const missing = (callId: string): ToolMessage => ({
  role: "tool",
  callId,
  name: "ls",
  output: "No result: the run was interrupted.",
  isError: true,
});

test("a history that is whole stays as it is", () => {
  const whole = [user("a"), calls("1", "2"), result("1"), result("2"), user("b")];
  expect(settledHistory(whole)).toEqual(whole);
});

test("a call that was interrupted gets a result that says so", () => {
  expect(settledHistory([user("a"), calls("1", "2"), result("2"), user("b")])).toEqual([
    user("a"),
    calls("1", "2"),
    result("2"),
    missing("1"),
    user("b"),
  ]);
  expect(settledHistory([user("a"), calls("1")])).toEqual([user("a"), calls("1"), missing("1")]);
});

test("results without a call, and messages that say nothing, go", () => {
  const nothing: Message = { role: "assistant", content: [{ type: "text", text: "\n" }] };
  expect(
    settledHistory([result("0"), user("a"), nothing, user(""), calls("1"), result("1"), result("1")]),
  ).toEqual([user("a"), calls("1"), result("1")]);
});
