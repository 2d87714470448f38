/** Histories that providers would refuse are turned into ones that they accept. */

import { expect, test } from "bun:test";
import { settleHistory } from "../../src/models/history.ts";
import type { AssistantMessage, Message, ToolMessage } from "../../src/protocol/model.ts";

const user = (text: string): Message => ({
  role: "user",
  origin: { kind: "typed" },
  content: [{ type: "text", text }],
});
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

test("a complete history stays as it is", () => {
  const whole = [user("a"), calls("1", "2"), result("1"), result("2"), user("b")];
  expect(settleHistory(whole)).toEqual(whole);
});

test("an interrupted call gets a result that says so", () => {
  expect(settleHistory([user("a"), calls("1", "2"), result("2"), user("b")])).toEqual([
    user("a"),
    calls("1", "2"),
    result("2"),
    missing("1"),
    user("b"),
  ]);
  expect(settleHistory([user("a"), calls("1")])).toEqual([user("a"), calls("1"), missing("1")]);
});

test("results without a call and empty messages are dropped", () => {
  const nothing: Message = { role: "assistant", content: [{ type: "text", text: "\n" }] };
  expect(
    settleHistory([result("0"), user("a"), nothing, user(""), calls("1"), result("1"), result("1")]),
  ).toEqual([user("a"), calls("1"), result("1")]);
});

test("ids that are repeated in a later turn are replaced, always in the same way", () => {
  const twice = [user("a"), calls("1", "1_2"), result("1_2"), calls("1"), result("1"), calls("1")];
  const settled = [
    user("a"),
    calls("1", "1_2"),
    result("1_2"),
    missing("1"),
    calls("1_3"),
    result("1_3"),
    calls("1_4"),
    missing("1_4"),
  ];
  expect(settleHistory(twice)).toEqual(settled);
  expect(settleHistory([...twice, user("b")])).toEqual([...settled, user("b")]);
});

test("ids that another provider would refuse are rewritten if it matters, in calls and results alike", () => {
  const foreign = ["functions.ls:0", "functions:ls:0", "z".repeat(70), "z".repeat(80)];
  const history = [user("a"), calls(...foreign), ...foreign.map(result)];
  expect(settleHistory(history)).toEqual(history);
  const plain = ["functions_ls_0", "functions_ls_0_2", "z".repeat(64), `${"z".repeat(62)}_2`];
  expect(settleHistory(history, { plainIds: true })).toEqual([
    user("a"),
    calls(...plain),
    ...plain.map(result),
  ]);
});

test("an impossible tool name is replaced by a possible one", () => {
  const named = (name: string): Message[] => [
    { role: "assistant", content: [{ type: "tool_call", id: "1", name, input: {} }] },
    { ...result("1"), name },
  ];
  expect(settleHistory(named("functions.ls <x>"))).toEqual(named("functions_ls__x_"));
  expect(settleHistory(named(""))).toEqual(named("unknown"));
});
