import { expect, test } from "bun:test";
import { unlessAborted } from "../../src/async/abort.ts";
import type { CallBridge } from "../../src/bridge/call-bridge.ts";
import type { StartedAgent } from "../../src/bridge/cell-agents.ts";
import { Spending } from "../../src/bridge/limits.ts";
import type { ToolResult } from "../../src/protocol/index.ts";
import { until } from "../support/until.ts";
import { held, result, testBridge } from "./bridge-parts.ts";

test("a request becomes a call with its parent's id, and its result the answer", async () => {
  const image = { mediaType: "image/png", base64: "AA==" };
  const { tool, log } = testBridge(async ({ name, input }) =>
    name === "read"
      ? result(`${JSON.stringify(input)}`, { details: { totalLines: 1 }, images: [image] })
      : result("write: no (DENIED)", { isError: true, details: { code: "DENIED" } }),
  );
  expect(await tool("read", { path: "x" })).toEqual({
    text: '{"path":"x"}',
    details: { totalLines: 1 },
    images: [image],
  });
  expect(await tool("write")).toEqual({ error: "write: no (DENIED)", details: { code: "DENIED" } });
  expect(log).toEqual(["+p.1 read", "-p.1", "+p.2 write", "-p.2"]);
});

test("a call begins when it is in the log, and not before", async () => {
  const logged = Promise.withResolvers<void>();
  const began: string[] = [];
  const { tool } = testBridge(
    async ({ id }) => {
      began.push(id);
      return result("");
    },
    { onEvent: () => logged.promise },
  );
  const answer = tool("read");
  await Promise.resolve();
  expect(began).toEqual([]);
  logged.resolve();
  await answer;
  expect(began).toEqual(["p.1"]);
});

test("calls that change something do not overlap; of the others only so many run at once", async () => {
  const { run, waiting } = held();
  const { tool } = testBridge(run);
  const running = () => waiting.map(({ call }) => call.name);
  const changes = [tool("bash"), tool("write")];
  await until("the first runs", () => waiting.length === 1);
  const reads = [tool("read"), tool("read")];
  await until("a read runs beside it", () => waiting.length === 2);
  expect(running()).toEqual(["bash", "read"]);
  waiting[1]?.end(result("a"));
  await until("the next read runs", () => waiting.length === 3);
  waiting[2]?.end(result("b"));
  expect((await Promise.all(reads)).map(({ text }) => text)).toEqual(["a", "b"]);
  expect(running()).toEqual(["bash", "read", "read"]);
  waiting[0]?.end(result("c"));
  await until("the second change runs", () => waiting.length === 4);
  waiting[3]?.end(result("d"));
  expect((await Promise.all(changes)).map(({ text }) => text)).toEqual(["c", "d"]);
});

test("more calls than the settings allow, and calls too deep, are refused in one line that names the setting", async () => {
  const run = async () => result("ok");
  const few = testBridge(run, { limits: { maxCalls: 1 } });
  await few.tool("read");
  expect(await few.tool("read")).toEqual({
    error:
      "omp.tools.read: the code of one call can make at most 1 call (setting bridge.maxCalls) (BRIDGE_LIMIT)",
    details: { success: false, code: "BRIDGE_LIMIT" },
  });
  const deep = testBridge(run, { depth: 3, limits: { maxDepth: 2 } });
  expect((await deep.tool("bash"))["error"]).toBe(
    "omp.tools.bash: calls can be nested at most 2 deep (setting bridge.maxDepth) (BRIDGE_LIMIT)",
  );
  expect(few.log).toEqual(["+p.1 read", "-p.1"]);
});

const CANCELLED = {
  error: "omp.tools.read: the cell was interrupted, or has ended (CANCELLED)",
  details: { success: false, code: "CANCELLED" },
  cancelled: true,
};

test("an interrupt of the cell ends what runs, what waits and what comes later; what began has its end in the log", async () => {
  const { run, waiting } = held();
  const { tool, abort, log, bridge } = testBridge(run, { limits: { maxConcurrency: 1 } });
  const answers = [tool("read"), tool("read")];
  await until("calls run", () => waiting.length === 1);
  abort();
  expect(await Promise.all([...answers, tool("read")])).toEqual([CANCELLED, CANCELLED, CANCELLED]);
  await bridge.close();
  expect(log).toEqual(["+p.1 read", "-p.1"]);
});

test("a withdrawn request ends alone", async () => {
  const { run, waiting } = held();
  const { tool, bridge } = testBridge(run);
  const [first, second] = [tool("read", {}, "one"), tool("read", {}, "two")];
  await until("calls run", () => waiting.length === 2);
  expect(await bridge.answer({ id: "two", about: "withdrawn" })).toEqual({});
  expect(await second).toEqual(CANCELLED);
  waiting[0]?.end(result("fine"));
  expect((await first)["text"]).toBe("fine");
});

test("closing waits for the end of what still runs", async () => {
  const { run, waiting } = held();
  const { tool, bridge, log } = testBridge(run);
  const answer = tool("read");
  await until("calls run", () => waiting.length === 1);
  await bridge.close();
  expect(log).toEqual(["+p.1 read", "-p.1"]);
  expect(await answer).toEqual(CANCELLED);
});

test("what this version does not know is refused", async () => {
  const { bridge } = testBridge(async () => result(""));
  expect((await bridge.answer({ id: "x", about: "weather" }))["error"]).toBe(
    "omp: this version of omp does not know 'weather' (UNKNOWN_REQUEST)",
  );
});

const spent = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 9 };

/** Subagents of a made-up session; `tasks` are those that were asked for. */
function agentsOf(answer: () => Promise<ToolResult>, found?: StartedAgent) {
  const tasks: unknown[] = [];
  const run = (task: unknown) => {
    tasks.push(task);
    return answer();
  };
  return { tasks, agents: { run, find: (id: string) => (id === "task-1" ? found : undefined) } };
}

test("a subagent gets its task; once the money is spent there is none", async () => {
  const { tasks, agents } = agentsOf(async () => result("found"));
  const spending = new Spending(5);
  const { bridge, log } = testBridge(async () => result(""), { agents, spending });
  const ask = () => bridge.answer({ id: "x", about: "agent", prompt: "find", tools: ["read"], model: null });
  expect(await ask()).toMatchObject({ text: "found" });
  expect(tasks).toEqual([{ prompt: "find", tools: ["read"] }]);
  expect(log).toEqual(["+p.1 agent", "-p.1"]);
  spending.add(spent);
  expect(await ask()).toEqual({
    error:
      "omp.agent: what this call's code asked of models has cost $9.00, which is the limit (setting bridge.maxCostUsd) (BRIDGE_LIMIT)",
    details: { success: false, code: "BRIDGE_LIMIT" },
  });
  const { bridge: alone } = testBridge(async () => result(""));
  expect(await alone.answer({ id: "x", about: "agent" })).toMatchObject({ details: { code: "NO_AGENTS" } });
});

test("one that is started outlives the call: its handle asks whether it is done, waits, and stops it", async () => {
  const end = Promise.withResolvers<ToolResult>();
  let ended: ToolResult | undefined;
  const did: string[] = [];
  const started: StartedAgent = {
    isShared: false,
    get result() {
      return ended;
    },
    wait: (signal) => unlessAborted(end.promise, signal),
    stop: () => did.push("stopped"),
    markRead: () => did.push("read"),
  };
  const startedNow = result("task-1 works", { details: { agent: "task-1", status: "running" } });
  const { tasks, agents } = agentsOf(async () => startedNow, started);
  const first = testBridge(async () => result(""), { agents });
  expect(
    await first.bridge.answer({ id: "a", about: "agent", prompt: "find", background: true, kernel: "own" }),
  ).toMatchObject({ details: { agent: "task-1" } });
  expect(tasks).toEqual([{ prompt: "find", background: true }]);
  const handle = (bridge: CallBridge, what: string, id = what, agent = "task-1") =>
    bridge.answer({ id, about: "agent_handle", agent, what });
  const interrupted = handle(first.bridge, "result");
  first.abort();
  expect(await interrupted).toMatchObject({ cancelled: true });
  expect(did).toEqual([]);

  const later = testBridge(async () => result(""), { agents });
  expect(await handle(later.bridge, "done")).toEqual({ isDone: false });
  const waiting = handle(later.bridge, "result");
  const stopping = handle(later.bridge, "cancel");
  ended = result("[the subagent was interrupted]", { isError: true, details: { cancelled: true } });
  end.resolve(ended);
  const stopped = { ended: { error: "[the subagent was interrupted]", details: { cancelled: true } } };
  expect([await waiting, await stopping]).toEqual([stopped, stopped]);
  expect(did).toEqual(["stopped", "read"]);
  expect(await handle(later.bridge, "done")).toEqual({ isDone: true });
  expect(await handle(later.bridge, "done", "x", "task-7")).toMatchObject({
    error: "omp.agent: no subagent task-7 in this session (UNKNOWN_AGENT)",
  });
  expect(later.log).toEqual([]);
});

test("a cell does not wait for a subagent that works in its own kernel", async () => {
  const working: StartedAgent = {
    isShared: true,
    result: undefined,
    wait: () => new Promise(() => undefined),
    stop: () => undefined,
    markRead: () => undefined,
  };
  const { agents, tasks } = agentsOf(async () => result(""), working);
  const { bridge } = testBridge(async () => result(""), { agents });
  const ask = (more: object) =>
    bridge.answer({ id: "x", about: "agent", prompt: "p", kernel: "shared", ...more });
  expect(await ask({})).toMatchObject({
    error:
      'omp.agent: this cell would wait for a subagent whose cells wait for this one; use omp.agent.start(…, kernel="shared") (SHARED_KERNEL)',
  });
  expect(tasks).toEqual([]);
  await ask({ background: true });
  expect(tasks).toEqual([{ prompt: "p", background: true, kernel: "shared" }]);
  expect(
    await bridge.answer({ id: "y", about: "agent_handle", agent: "task-1", what: "result" }),
  ).toMatchObject({
    error:
      "omp.agent: task-1 works in this kernel, and its cells wait for this one; ask again in a later cell (SHARED_KERNEL)",
  });
});
