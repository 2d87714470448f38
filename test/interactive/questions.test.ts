/** What a question about a call shows. */

import { expect, test } from "bun:test";
import { Questions } from "../../src/interactive/questions.ts";
import { decide } from "../../src/tools/approval/decide.ts";
import { initialState } from "../../src/ui/store/state.ts";
import { Store } from "../../src/ui/store/store.ts";
import { until } from "../support/until.ts";
import { named, rules } from "../tools/approval-calls.ts";

/** What the question about a call says before its answers. */
async function detailsOf(tool: string, input: object, asker?: string) {
  const decision = await decide({ mode: "ask", tool: named(tool), input, cwd: "/tmp", rules });
  if (decision.decision !== "ask") throw new Error("expected a question");
  const store = new Store(initialState({ columns: 80, rows: 24, cwd: "/" }));
  const questions = new Questions(store);
  const answer = questions.ask({ ...decision, asker, signal: new AbortController().signal });
  const { id, details } = await until("a question", () => store.get().question);
  questions.answer(id, { answer: "once", reason: "" });
  expect(await answer).toBe("once");
  return details;
}

test("a command that runs in another directory is shown with it", async () => {
  expect(await detailsOf("bash", { command: "make" })).toEqual(["make"]);
  expect(await detailsOf("bash", { command: "make", cwd: "." })).toEqual(["make"]);
  expect(await detailsOf("bash", { command: "make", cwd: "~/x" })).toEqual(["make", "in /home/ann/x"]);
});

test("a call that is not on the screen is shown whole: a subagent's, an MCP server's tool", async () => {
  const cells = [{ title: "Look", code: "import os" }, { code: "os.remove('a')" }];
  expect(await detailsOf("python", { cells })).toEqual(["python it"]);
  expect(await detailsOf("python", { cells }, "task-1")).toEqual(["import os\nos.remove('a')"]);
  const file = { path: "a.sh", content: "rm x\nrm y\n" };
  expect(await detailsOf("write", file)).toEqual(["write it", "a.sh"]);
  expect(await detailsOf("write", file, "task-1")).toEqual(["path: a.sh\ncontent: rm x\nrm y\n", "a.sh"]);
  const query = { sql: "x".repeat(1000), limits: [1] };
  expect(await detailsOf("mcp__db__run", query)).toEqual([`sql: ${query.sql}\nlimits: [1]`]);
});
