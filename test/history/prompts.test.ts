import { expect, test } from "bun:test";
import type { SessionEntry } from "../../src/history/entry.ts";
import { cellsBefore, momentOf, promptsIn } from "../../src/history/prompts.ts";
import { userMessage } from "../../src/protocol/index.ts";

const at = "2026-11-18T09:00:00.000Z";
const asked = (text: string): SessionEntry => ({ type: "user", at, message: userMessage(text) });
const called = (id: string, input: object): SessionEntry => ({
  type: "tool_call",
  at,
  id,
  name: "python",
  input,
});
const cells = (code: string) => ({ cells: [{ code }] });

test("the moment of a prompt is its own, and has nothing of the next prompt", () => {
  const files = { snapshot: "one", root: "/project" };
  const entries: SessionEntry[] = [
    asked("first"),
    { type: "checkpoint", at, files },
    asked("second"),
    { type: "checkpoint", at, files: { ...files, snapshot: "two" }, variables: "v2" },
    { type: "checkpoint", at, call: "a", variables: "v3", shell: { state: "s", directory: null } },
  ];
  const [first, second] = promptsIn(entries);
  expect(first && momentOf(entries, first)).toEqual({ files });
  expect(second && momentOf(entries, second)).toEqual({
    files: { ...files, snapshot: "two" },
    variables: "v2",
    shell: { state: "s", directory: null },
  });
});

test("the cells before a prompt are those that ran in the session's kernel since it was empty", () => {
  const entries: SessionEntry[] = [
    asked("first"),
    called("a", cells("lost = 1")),
    called("b", { ...cells("x = 1"), reset: true }),
    called("c", { ...cells("x = 2"), branch: "try" }),
    called("d", cells("x = 3")),
    {
      type: "tool_result",
      at,
      id: "d",
      name: "python",
      result: { output: "", isError: true, details: { approval: "denied" } },
    },
    {
      type: "user",
      at,
      message: userMessage("…", { kind: "ran", tool: "python", code: "x = 4", branch: "try" }),
    },
    called("e", cells("y = x")),
    asked("second"),
    called("f", cells("z = 1")),
  ];
  const second = promptsIn(entries)[1];
  expect(second && cellsBefore(entries, second)).toEqual(["x = 1", "y = x"]);
});
