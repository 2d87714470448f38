/** Subagents of a model, as scripts and the log see them: real sessions below the session, each with its own shell and kernel. */

import { beforeEach, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readSession } from "../../src/history/read.ts";
import type { ScriptedTurn } from "../../src/models/scripted-model.ts";
import { omp as runOmp } from "../support/omp.ts";
import { isRunning, pidIn, processesWith } from "../support/processes.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { until } from "../support/until.ts";
import { AgentPlace, bash, linesOf, python } from "./agent-place.ts";

let omp: AgentPlace;
beforeEach(() => {
  omp = new AgentPlace();
});

const task = (prompt: string, agent?: string) => ({
  name: "task",
  input: { prompt, ...(agent === undefined ? {} : { agent }) },
});

/** An agent of the user's own whose model is a script. */
function define(name: string, fields: string, ...turns: readonly ScriptedTurn[]): void {
  const folder = join(omp.place.home, ".omp", "agent", "agents");
  mkdirSync(folder, { recursive: true });
  const model = omp.script(...turns);
  writeFileSync(join(folder, `${name}.md`), `---\nmodel: ${model}\n${fields}---\nYou are ${name}.\n`);
}

/** The log of the user's own session, or of a subagent. */
function logOf(agent?: string) {
  const found = omp
    .logs()
    .map(readSession)
    .find(({ header }) => header.agent === agent);
  if (found === undefined) throw new Error(`${agent} has no log`);
  return found;
}

function outputsIn(agent: string): string[] {
  return logOf(agent).entries.flatMap((entry) =>
    entry.type === "tool_result" ? [entry.result.output.trim()] : [],
  );
}

/** The results of the calls that the user's own model made. */
function results(stdout: string) {
  return linesOf(stdout).filter(({ type }) => type === "tool_result");
}

const shells = ["--tools", "bash,task", "--output-format", "stream-json"];

test("has a shell and a log of its own, and what it used is the session's", async () => {
  const model = omp.script(
    { toolCalls: [bash("X=mine")] },
    { toolCalls: [task("How is X?")] },
    { toolCalls: [bash("echo X=$X; X=theirs")] },
    { text: "X is empty." },
    { toolCalls: [bash("echo X=$X")] },
    { text: "Done." },
  );
  const { exitCode, stdout } = await omp.run(["-m", model, "go", ...shells]);
  expect(exitCode).toBe(0);
  const [, answer, after] = results(stdout);
  expect(answer).toMatchObject({ name: "task", is_error: false, output: "X is empty." });
  expect(answer?.["details"]).toMatchObject({ agent: "task-1", status: "done", turns: 2, model });
  expect(after).toMatchObject({ output: "X=mine" });

  const used = linesOf(stdout).filter(({ type }) => type === "usage");
  expect(used.map(({ parent_id }) => parent_id)).toEqual([
    undefined,
    undefined,
    "call_2_1",
    undefined,
    undefined,
  ]);
  const sum = used.reduce((total, { input }) => total + Number(input), 0);
  expect(linesOf(stdout).at(-1)).toMatchObject({ type: "result", turns: 4, usage: { input: sum } });

  const [{ header: own }, child] = [logOf(), logOf("task-1")];
  expect(child.header.parent).toBe(own.id);
  expect(answer?.["details"]).toMatchObject({ sessionId: child.header.id });
  expect(outputsIn("task-1")).toEqual(["X="]);
  expect(child.entries.at(-1)?.type).toBe("closed");

  // It belongs to its session: it is not listed, not continued, and removed with it.
  const sessions = async (...args: string[]) => (await runOmp(["sessions", ...args], omp)).stdout;
  expect(JSON.parse(await sessions("list", "--json"))).toMatchObject([{ id: own.id }]);
  expect(await sessions("show", child.header.id)).toContain("X is empty.");
  await sessions("rm", own.id);
  expect(omp.logs()).toEqual([]);
});

test("several of a turn work at the same time, each in its role and with its tools", async () => {
  const waitFor = (mine: string, other: string) =>
    bash(`touch ${mine}; until [ -e ${other} ]; do sleep 0.02; done; echo met`);
  define("left", "tools: Bash, WebFetch\n", { toolCalls: [waitFor("l", "r")] }, { text: "left met" });
  define("right", "tools: [bash]\n", { toolCalls: [waitFor("r", "l")] }, { text: "right met" });
  const model = omp.script({ toolCalls: [task("go", "left"), task("go", "right")] }, { text: "Done." });
  const { stdout } = await omp.run(["-m", model, "go", ...shells]);
  const outputs = results(stdout).map(({ output, details }) => [output, Object(details).agent]);
  expect(outputs.toSorted()).toEqual([
    ["left met", "left-1"],
    ["right met", "right-2"],
  ]);
});

test("an agent or a model that does not exist, and a run that fails, are errors of the call", async () => {
  define("broken", "", { error: { status: 400, message: "no such thing" } });
  const model = omp.script(
    { toolCalls: [task("go", "brokn")] },
    { toolCalls: [task("go", "broken")] },
    { toolCalls: [task(" ")] },
    { text: "Done." },
  );
  const { stdout } = await omp.run(["-m", model, "go", ...shells]);
  expect(results(stdout).map(({ is_error, output }) => [is_error, output])).toEqual([
    [true, "task: unknown agent 'brokn'; did you mean 'broken'? (UNKNOWN_AGENT)"],
    [true, expect.stringMatching(/^\[the subagent failed: .*no such thing.*\]$/)],
    [true, "task: field 'prompt' must not be empty (INVALID_INPUT)"],
  ]);
});

test("subagents of subagents end at bridge.maxDepth", async () => {
  define("deep", "", { toolCalls: [task("deeper", "deeper")] }, { text: "deep done" });
  define("deeper", "", { toolCalls: [task("deepest")] }, { text: "deeper done" });
  const model = omp.script({ toolCalls: [task("go", "deep")] }, { text: "Done." });
  await omp.run(["-m", model, "go", ...shells]);
  const [own, deep, deeper] = [logOf(), logOf("deep-1"), logOf("deep-1/deeper-1")];
  expect([deep.header.parent, deeper.header.parent]).toEqual([own.header.id, deep.header.id]);
  expect(omp.logs()).toHaveLength(3);
  const refused = deeper.entries.find((entry) => entry.type === "tool_result");
  expect(refused).toMatchObject({ result: { isError: true, details: { code: "UNKNOWN_TOOL" } } });
});

test("what it may do is what its parent may", async () => {
  const model = omp.script(
    { toolCalls: [task("write")] },
    { toolCalls: [bash("echo hi > made")] },
    { text: "I was not allowed to." },
    { text: "Done." },
  );
  await omp.run(["-m", model, "go", "--approval", "ask", ...shells]);
  const refusal = logOf("task-1").entries.find((entry) => entry.type === "tool_result");
  expect(refusal).toMatchObject({ result: { isError: true, details: { approval: "denied" } } });
  expect(() => omp.text("made")).toThrow();
});

test("SIGINT ends it with everything that it started, and both logs say so", async () => {
  define("slow", "", { toolCalls: [bash("sleep 1000 & echo $! > pid; wait")] });
  const model = omp.script({ toolCalls: [task("go", "slow")] });
  const child = omp.start(["-m", model, "go", ...shells]);
  const pid = await until("its command runs", () => pidIn(join(omp.project, "pid")));
  child.kill("SIGINT");
  expect(await child.exited).toBe(130);
  const lines = linesOf(await new Response(child.stdout).text());
  expect(lines.slice(-3)).toMatchObject([
    {
      type: "tool_result",
      name: "task",
      is_error: true,
      details: { cancelled: true, status: "interrupted" },
    },
    { type: "usage", parent_id: "call_1_1" },
    { type: "result", status: "interrupted" },
  ]);
  await until("it is gone", () => !isRunning(pid));
  await until("nothing is left", () => processesWith(`HOME=${omp.place.home}`).length === 0);
  for (const log of omp.logs()) {
    const { entries } = readSession(log);
    expect(entries.find(({ type }) => type === "end")).toMatchObject({ status: "interrupted" });
  }
});

describeWithPython(testPython, "with a Python", () => {
  test("has a kernel of its own, and cells can start one", async () => {
    define(
      "counter",
      "tools: python\n",
      { toolCalls: [python("x = 2\nprint('x' in dir())")] },
      { text: "2" },
    );
    define("other", "tools: python\n", { toolCalls: [python("print('x' in dir())")] }, { text: "none" });
    const code = "x = 1\nprint([omp.tools.task(prompt='go', agent=a).text for a in ('counter', 'other')], x)";
    const model = omp.script({ toolCalls: [python(code)] }, { text: "Done." });
    const { stdout } = await omp.run(["-m", model, "go", "--output-format", "stream-json"]);
    const own = results(stdout).find(({ name }) => name === "python");
    expect(own).toMatchObject({ is_error: false, output: expect.stringContaining("['2', 'none'] 1") });
    expect([...outputsIn("counter-1"), ...outputsIn("other-2")]).toEqual(["True", "False"]);
    const used = linesOf(stdout).filter(({ type, parent_id }) => type === "usage" && parent_id !== undefined);
    expect(used.map(({ parent_id }) => parent_id)).toEqual(["call_1_1", "call_1_1"]);
    await until("nothing is left", () => processesWith(`HOME=${omp.place.home}`).length === 0);
  });

  test("omp.agent waits for its answer, and omp.agent.start does not", async () => {
    define("quick", "tools: read\n", { text: "quick done" });
    define("slow", "", { toolCalls: [bash("echo $$ > pid; sleep 1000")] });
    const code = [
      "import os, time",
      "print(omp.agent('go', agent='quick'))",
      "slow = omp.agent.start('go', agent='slow')",
      "while not os.path.exists('pid'): time.sleep(0.02)",
      "print(slow.done)",
      "slow.cancel()",
      "def told(ask):",
      "    try: return ask()",
      "    except Exception as error: return str(error)",
      "print(told(slow.result))",
      "print(told(lambda: omp.agent('go', agent='qick')))",
    ];
    const model = omp.script({ toolCalls: [python(code.join("\n"))] }, { text: "Done." });
    const { stdout } = await omp.run(["-m", model, "go", "--output-format", "stream-json"]);
    const own = results(stdout).find(({ name }) => name === "python");
    expect(String(own?.["output"]).trim().split("\n")).toEqual([
      "quick done",
      "False",
      "[the subagent was interrupted]",
      "task: unknown agent 'qick'; did you mean 'quick'? (UNKNOWN_AGENT)",
    ]);
    expect(logOf("slow-2").entries.find(({ type }) => type === "end")).toMatchObject({
      status: "interrupted",
    });
    await until("nothing is left", () => processesWith(`HOME=${omp.place.home}`).length === 0);
  });

  test("has the MCP servers of its parent, as tools and in cells", async () => {
    const server = {
      command: process.execPath,
      args: [join(import.meta.dir, "../faults/fixtures/slow-server.mjs")],
      env: { PIDS: omp.project, LEDGER: join(omp.project, "ledger") },
    };
    omp.settings({ mcp: { servers: { slow: server } } });
    const wait = { name: "mcp__slow__wait", input: { ms: 1, line: "by the tool" } };
    const cell = python("print(omp.mcp.slow.wait(ms=1, line='by a cell'))");
    define("caller", "", { toolCalls: [wait] }, { toolCalls: [cell] }, { text: "called" });
    const model = omp.script({ toolCalls: [task("go", "caller")] }, { text: "Done." });
    const { stdout } = await omp.run(["-m", model, "go", "--output-format", "stream-json"]);
    expect(results(stdout)[0]).toMatchObject({ output: "called", is_error: false });
    expect(outputsIn("caller-1").slice(0, 1)).toEqual(["by the tool"]);
    expect(omp.text("ledger")).toBe("by the tool\nby a cell\n");
  });
});
