/** The subagents of a made-up session: their limits, those that outlive their call, and what is said of their end. */

import { expect, test } from "bun:test";
import type { Announced } from "../../src/agent/inbox.ts";
import type { AgentChoice, AgentRun } from "../../src/app/agent-task.ts";
import { Subagents } from "../../src/app/subagents.ts";
import { Spending } from "../../src/bridge/limits.ts";
import { type AgentTask, messageText, noUsage, OmpError, type Usage } from "../../src/protocol/index.ts";
import { until } from "../support/until.ts";

const dollars = (costUsd: number): Usage => ({ ...noUsage, inputTokens: 1, costUsd });

/** Agents that answer when they are told to, each for nine dollars. */
function session(limits: { maxConcurrency?: number; maxDepth?: number } = {}) {
  const open = new Map<string, { readonly choice: AgentChoice; readonly answer: (text: string) => void }>();
  const announced: (() => Announced)[] = [];
  const changes: (string | undefined)[] = [];
  const subagents = new Subagents({
    parent: undefined,
    limits: { maxConcurrency: 2, maxDepth: 1, ...limits },
    check: ({ agent }: AgentTask) => {
      if (agent === "nobody") throw new OmpError({ operation: "task", issue: "no", code: "UNKNOWN_AGENT" });
    },
    open: async (choice): Promise<AgentRun> => {
      const { promise, resolve } = Promise.withResolvers<string>();
      open.set(choice.id, { choice, answer: resolve });
      return {
        sessionId: undefined,
        modelName: "m",
        summaryOf: () => "",
        async *run(_, signal) {
          const aborted = new Promise<undefined>((done) =>
            signal.addEventListener("abort", () => done(undefined)),
          );
          const text = await Promise.race([promise, aborted]);
          const status = text === undefined ? "interrupted" : "done";
          yield { type: "end", status, text: text ?? "", turns: 1, usage: dollars(9) };
        },
        close: async () => [],
      };
    },
    onEnd: (make) => announced.push(make),
    onChange: (ended) => changes.push(ended),
  });
  const { signal } = new AbortController();
  const call = { depth: 1, signal, onUpdate: () => undefined, callId: "call_1" };
  const start = (task: Partial<AgentTask> = {}, more: object = {}) =>
    subagents.run({ prompt: "Find it", background: true, ...task }, { ...call, ...more });
  const said = () => announced.map((make) => messageText(make().message));
  return { subagents, open, announced, changes, start, said, call };
}

test("one in the background returns at once, works beside others, and its end is announced with what it used", async () => {
  const { subagents, open, announced, changes, start, said } = session();
  expect(await start()).toEqual({
    isError: false,
    output: "task-1 works in the background: its answer will be announced. Go on meanwhile.",
    details: {
      agent: "task-1",
      status: "running",
      background: true,
      segments: [{ lines: 1, note: "task-1 works in the background; /agents follows it" }],
    },
  });
  await start({ agent: "finder" });
  await start();
  await until("two run", () => open.size === 2);
  expect(subagents.working).toEqual(["task-1", "finder-2", "task-3"]);
  open.get("finder-2")?.answer("Here.");
  await until("the third has its place", () => open.size === 3);
  expect(said()).toEqual([
    expect.stringMatching(/^\[subagent finder-2 is done after [\d.]+ s: Find it\]\nHere\.$/),
  ]);
  expect(announced[0]?.()).toMatchObject({ usage: { costUsd: 9 }, parent: "call_1" });
  expect(changes.filter(Boolean)).toHaveLength(1);
  expect(subagents.list().map(({ status, isBackground }) => [status, isBackground])).toEqual([
    ["running", true],
    ["done", true],
    ["running", true],
  ]);
  expect(subagents.stop("task-1")).toBe(true);
  await until("it has ended", () => said().length === 2);
  expect(said()[1]).toMatch(
    /^\[subagent task-1 was stopped after [\d.]+ s: Find it\]\n\[the subagent was interrupted\]$/,
  );
  expect(await subagents.close()).toEqual(["omp: subagent task-3 was still working and was ended: Find it"]);
  expect(said()[2]).toContain("subagent task-3 was still working when its session ended");
  expect(subagents.working).toEqual([]);
});

test("a long answer is announced by its beginning where a cell has a handle, and not at all once the cell has read it", async () => {
  const { subagents, open, start, said } = session();
  await start({}, { hasHandle: true });
  await until("it runs", () => open.size === 1);
  open.get("task-1")?.answer("a".repeat(3_000));
  const agent = subagents.find("task-1");
  const { output } = (await agent?.ended) ?? {};
  expect(output).toHaveLength(3_000);
  await until("it is announced", () => said().length === 1);
  expect(said()[0]?.split("\n").slice(1)).toEqual([
    "a".repeat(2_000),
    "[… result() of its handle has all 3000 characters]",
  ]);
  agent?.markRead();
  expect(said()[0]).not.toContain("a\n");
  expect(said()[0]?.split("\n")).toHaveLength(1);
});

test("an end of the call does not end it, and what could never work is refused at once", async () => {
  const { subagents, open, start } = session();
  const controller = new AbortController();
  await start({}, { signal: controller.signal });
  controller.abort();
  await until("it runs", () => open.size === 1);
  expect(subagents.working).toEqual(["task-1"]);
  expect(start({ agent: "nobody" })).rejects.toThrow("task: no (UNKNOWN_AGENT)");
  expect(start({}, { depth: 2 })).rejects.toThrow(
    "task: subagents can be nested at most 1 deep (setting bridge.maxDepth) (AGENT_LIMIT)",
  );
  await subagents.close();
});

test("the money of the code that starts them is one purse, also for those that wait for their turn", async () => {
  const { subagents, open, start, said, call } = session({ maxConcurrency: 1 });
  const spending = new Spending(5);
  await start({}, { spending });
  await start({}, { spending });
  await until("the first runs", () => open.size === 1);
  open.get("task-1")?.answer("one");
  await until("both have ended", () => said().length === 2);
  const line =
    "task: what this call's code asked of models has cost $9.00, which is the limit (setting bridge.maxCostUsd) (BRIDGE_LIMIT)";
  expect(said()[1]).toContain(`[the subagent failed: ${line}]`);
  expect(start({}, { spending })).rejects.toThrow(line);
  expect(subagents.run({ prompt: "wait" }, { ...call, spending })).rejects.toThrow(line);
  expect(open.size).toBe(1);
});
