/** Calls from cells, with the real tools of a session and a real kernel. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openServices, type Services } from "../../src/app/services.ts";
import { Subagents } from "../../src/app/subagents.ts";
import { callTool } from "../../src/app/tool-call.ts";
import type { NestedEvent } from "../../src/protocol/index.ts";
import { ToolRegistry } from "../../src/tools/registry.ts";
import { temporaryPlace } from "../support/home.ts";
import { userEnvironment } from "../support/omp.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { until } from "../support/until.ts";

describeWithPython(testPython, "calls from cells", () => {
  const place = temporaryPlace({ lasts: "file" });
  let services: Services;
  let events: NestedEvent[] = [];

  beforeAll(async () => {
    writeFileSync(join(place.project, "notes.txt"), "alpha\nbeta\n");
    mkdirSync(join(place.project, "other"));
    const env = userEnvironment(place, { VIRTUAL_ENV: testPython.venv });
    services = await openServices({ env, cwd: place.project }, { stderr: () => undefined });
  });
  afterAll(() => services.close());

  async function call(name: string, input: unknown, signal = new AbortController().signal) {
    events = [];
    return await callTool(services, {
      ...{ id: "top", name, input, signal, dryRun: false },
      onUpdate: () => undefined,
      onNested: async (event) => {
        events.push(event);
      },
      onBug: (report) => expect(report).toBe(""),
    });
  }

  async function run(code: string, more: object = {}): Promise<string> {
    return (await call("python", { cells: [{ code }], ...more })).output;
  }

  /** `top.1 read: ok`, in the order in which the calls ended. */
  function ended(): string[] {
    return events.flatMap((event) =>
      event.type === "tool_result"
        ? [`${event.parent} > ${event.id} ${event.name}: ${event.result.isError ? "failed" : "ok"}`]
        : [],
    );
  }

  test("use the session's own shell, and are events with their parent's id", async () => {
    await call("bash", { command: "cd other; WORD=kept" });
    expect(await run("print(omp.tools.bash(command='echo $WORD; pwd').text)")).toBe(
      `kept\n${join(place.project, "other")}`,
    );
    await call("bash", { command: "cd .." });
    expect(await run("print(omp.tools.read(path='notes.txt').details['totalLines'])")).toBe("2");
    expect(events.map(({ type, id, name, parent }) => ({ type, id, name, parent }))).toEqual([
      { type: "tool_call", id: "top.1", name: "read", parent: "top" },
      { type: "tool_result", id: "top.1", name: "read", parent: "top" },
    ]);
  });

  test.each([
    ["omp.tools.read(paths='x')", "read: field 'path' is required (INVALID_INPUT)"],
    ["omp.tools.raed(path='x')", "raed: unknown tool; available: python, bash, "],
    ["omp.tools.bash(command='rm -rf ~')", "bash: blocked: it would delete"],
    [
      "omp.tools.python(cells=[{'code': '1'}])",
      "python: the cell that makes this call runs in the same kernel",
    ],
  ])("%s is refused as it is for the model", async (code, line) => {
    expect(await run(code)).toContain(`ToolError: ${line}`);
    expect(ended()).toHaveLength(1);
  });

  test("may run cells in another kernel, whose cells may call in turn; paths are relative to the session's directory", async () => {
    const inner = "print(omp.tools.read(path='notes.txt').text)";
    const deepest = `omp.tools.python(cells=[{'code': 'omp.tools.ls(path=".")'}], cwd='.')`;
    const outer = (code: string) =>
      `print(omp.tools.python(cells=[{'code': ${JSON.stringify(code)}}], cwd='other').text)`;
    expect(await run(outer(inner))).toBe("1|alpha\n2|beta");
    expect(ended()).toEqual(["top.1 > top.1.1 read: ok", "top > top.1 python: ok"]);
    expect(await run(outer(deepest))).toContain("runs in the same kernel");
  });

  test("end with their cell: what it left to a thread is stopped, and refused later", async () => {
    const code = [
      "import threading, time",
      "told = []",
      "def work(command):",
      "    try: omp.tools.bash(command=command)",
      "    except omp.ToolError as error: told.append(str(error))",
      "first = threading.Thread(target=work, args=('touch begun; sleep 1000',)); first.start()",
      "while not __import__('os').path.exists('begun'): time.sleep(0.01)",
    ].join("\n");
    await run(code);
    expect(ended()).toEqual(["top > top.1 bash: failed"]);
    expect(await run("first.join(); told")).toBe(
      "['omp.tools.bash: the cell was interrupted, or has ended (CANCELLED)']",
    );
  });

  test("end with an interrupt of their cell, also those of a pool of threads, and the kernel is as it was", async () => {
    const code = [
      "from concurrent.futures import ThreadPoolExecutor",
      "kept = 1",
      "with ThreadPoolExecutor(8) as pool:",
      "    list(pool.map(lambda n: omp.tools.grep(pattern='a', path='/'), range(100)))",
    ].join("\n");
    const interrupted = new AbortController();
    const running = call("python", { cells: [{ code }], timeout: 600 }, interrupted.signal);
    await until("calls run", () => events.length >= 8);
    interrupted.abort();
    const { details } = await running;
    expect(details).toMatchObject({ cancelled: true, cells: [{ status: "interrupted" }] });
    const begun = events.filter(({ type }) => type === "tool_call").length;
    expect(ended()).toHaveLength(begun);
    expect(begun).toBeLessThan(100);
    expect(await run("kept")).toBe("1");
  });

  test("end with the time limit of their cell", async () => {
    const { output, details } = await call("python", {
      cells: [{ code: "omp.tools.bash(command='sleep 1000')" }],
      timeout: 1,
    });
    expect(details).toMatchObject({ timedOut: true });
    expect(output).toContain("Command timed out after 1 seconds");
    expect(ended()).toEqual(["top > top.1 bash: failed"]);
  });
});

describeWithPython(testPython, "calls from cells that the user is asked about", () => {
  test("wait for the answer, which may be no; the time of all cells that wait is held", async () => {
    const place = temporaryPlace();
    mkdirSync(join(place.project, "other"));
    const env = userEnvironment(place, { VIRTUAL_ENV: testPython.venv });
    const asked: string[] = [];
    const services = await openServices(
      { env, cwd: place.project },
      { stderr: () => undefined },
      {
        approval: "ask",
        ask: async ({ subject }) => {
          asked.push(subject.tool);
          return asked.length <= 3 ? "once" : "no";
        },
      },
    );
    const inner = "for name in 'ab': omp.tools.write(path=name, content='x'); print('wrote', name)";
    const code = `omp.tools.python(cells=[{'code': ${JSON.stringify(inner)}}], cwd='other')`;
    const held: string[] = [];
    try {
      const { output } = await callTool(services, {
        ...{ id: "top", name: "python", dryRun: false, signal: new AbortController().signal },
        input: { cells: [{ code }], timeout: 600 },
        onUpdate: () => undefined,
        onBug: (report) => expect(report).toBe(""),
        // As if a cell waited for this call, too.
        nesting: {
          depth: 0,
          holdTime: () => {
            held.push("held");
            return () => void held.push("released");
          },
        },
      });
      expect(output).toContain("wrote a\n");
      expect(output).toContain("ToolError: write: blocked: the user declined (DENIED)");
      expect(asked).toEqual(["python", "python", "write", "write"]);
      expect(held).toEqual(asked.flatMap(() => ["held", "released"]));
    } finally {
      await services.close();
    }
  });
});

describeWithPython(testPython, "calls from cells that cost money", () => {
  test("subagents of omp.tools.task, omp.agent and omp.agent.start and prompts are paid from one purse, which is that of the cell's call", async () => {
    const place = temporaryPlace();
    mkdirSync(join(place.project, "other"));
    const env = userEnvironment(place, { VIRTUAL_ENV: testPython.venv });
    const services = await openServices({ env, cwd: place.project }, { stderr: () => undefined });
    const tools = new ToolRegistry([...services.tools.list(), services.taskTool]);
    const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 3 };
    const agents = new Subagents({
      ...{ parent: undefined, limits: { maxConcurrency: 2, maxDepth: 3 } },
      ...{ check: () => undefined, onEnd: () => undefined },
      open: async () => ({
        ...{ sessionId: undefined, modelName: "m", summaryOf: () => "", close: async () => [] },
        async *run() {
          yield { type: "end" as const, status: "done" as const, text: "worked", turns: 1, usage };
        },
      }),
    });
    const inner = "print(omp.tools.task(prompt='a').text)";
    const code = [
      // In another kernel: its calls are those of this cell, too.
      `print(omp.tools.python(cells=[{'code': ${JSON.stringify(inner)}}], cwd='other').text)`,
      "print(omp.agent.start('b').result())",
      "for ask in (omp.llm, omp.agent, omp.agent.start, lambda p: omp.tools.task(prompt=p)):",
      "    try: ask('c')",
      "    except omp.ToolError as error: print(error.text)",
    ].join("\n");
    const run = () =>
      callTool(
        { ...services, tools },
        {
          ...{ id: "top", name: "python", input: { cells: [{ code }] }, dryRun: false, agents },
          ...{ signal: new AbortController().signal, onUpdate: () => undefined },
          onBug: (report) => expect(report).toBe(""),
        },
      );
    const spent = (name: string) =>
      `${name}: what this call's code asked of models has cost $6.00, which is the limit (setting bridge.maxCostUsd) (BRIDGE_LIMIT)`;
    try {
      // The next call has money of its own.
      for (const { output } of [await run(), await run()])
        expect(output.split("\n")).toEqual([
          "worked",
          "worked",
          ...["omp.llm", "omp.agent", "omp.agent", "task"].map(spent),
        ]);
    } finally {
      await services.close();
    }
  });
});
