/** What else cells reach by the name `omp`: the tools of MCP servers, and subagents with their handles. */

import { expect, test } from "bun:test";
import { until } from "../support/until.ts";
import type { SharedKernel } from "./kernel-contract.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A session's side of MCP: one server, whose tools are listed by a search. */
async function mcp({ name, input }: Fields): Promise<Fields> {
  if (name === "mcp_search") {
    const tools = ["get-weather", "echo", "taken-back"].map((tool) => ({
      ...{ server: "sky.net", tool, name: `mcp__sky_net__${tool.replace("-", "_")}` },
      description: "x",
    }));
    return { text: "", details: { structured: { tools } } };
  }
  if (name === "mcp__sky_net__get_weather")
    return { text: "warm", details: { structured: { degrees: 21, of: input } } };
  if (name === "mcp__sky_net__taken_back") return { error: "x", details: { code: "UNKNOWN_TOOL" } };
  return { text: JSON.stringify(input), details: {} };
}

export function reachContract(kernel: SharedKernel): void {
  test("tools of MCP servers are found, called by their names, and give values", async () => {
    const { stdout, error, evalue } = await kernel.run(MCP, { answer: mcp });
    expect([stdout.split("\n"), error, evalue]).toEqual([
      [
        "['get-weather', 'echo', 'taken-back']",
        "{'degrees': 21, 'of': {'town': 'Oslo'}} 21",
        '{"a":1}',
        "[{'degrees': 21, 'of': {'town': 'A'}}, {'degrees': 21, 'of': {'town': 'B'}}]",
        "omp.mcp: there is no sky_net.taken_back; omp.mcp.search() lists the tools (UNKNOWN_TOOL)",
        "",
      ],
      "ToolError",
      "omp.mcp: there is no sky_net.rain; omp.mcp.search() lists the tools (UNKNOWN_TOOL)",
    ]);
  });

  test("a subagent's answer is a text, and what it is asked for is sent", async () => {
    const asked: Fields[] = [];
    const answer = async ({ id: _, ...request }: Fields) => {
      asked.push(request);
      return request["agent"] === "broken" ? { error: "[it failed]", details: {} } : { text: "found" };
    };
    const code =
      "print(omp.agent('find', tools=['read'], model='m', max_turns=3), await omp.agent.aio('again'))\nomp.agent('x', agent='broken')";
    const { stdout, error, evalue } = await kernel.run(code, { answer });
    expect([stdout, error, evalue]).toEqual(["found found\n", "ToolError", "[it failed]"]);
    const plain = { about: "agent", agent: null, tools: null, model: null, kernel: "own", maxTurns: null };
    expect(asked).toEqual([
      { ...plain, prompt: "find", tools: ["read"], model: "m", maxTurns: 3 },
      { ...plain, prompt: "again" },
      { ...plain, prompt: "x", agent: "broken" },
    ]);
  });

  test("a kernel that cannot be copied says so before anything is copied", async () => {
    const asked: unknown[] = [];
    const answer = async ({ about, op }: Fields): Promise<Fields> => {
      asked.push([about, op]);
      return { error: "omp.branch: this kernel cannot be copied (NO_BRANCH)" };
    };
    const { stdout, error } = await kernel.run(COPIES, { answer });
    const line = "omp.branch: this kernel cannot be copied (NO_BRANCH)\n";
    expect([stdout, error]).toEqual([line.repeat(3), undefined]);
    expect(asked).toEqual(Array(3).fill(["branch", "open"]));
  });

  test("the handle of one that was started works in later cells", async () => {
    const ended = new Map<unknown, Fields>();
    const asked: unknown[] = [];
    const answer = async ({ about, agent, what, background }: Fields): Promise<Fields> => {
      asked.push([about, agent ?? background, what]);
      if (about === "agent") return { text: "", details: { agent: `task-${asked.length}` } };
      if (what === "cancel") ended.set(agent, { error: "[it was stopped]", details: { cancelled: true } });
      return what === "done" ? { isDone: ended.has(agent) } : { ended: ended.get(agent) ?? {} };
    };
    await kernel.run("one = omp.agent.start('a')\ntwo = omp.agent.start('b')", { answer });
    expect((await kernel.run("one, one.done, two.done", { answer })).value).toBe(
      "(<omp.agent task-1>, False, False)",
    );
    ended.set("task-1", { text: "found" });
    const later = await kernel.run(
      "print(one.done, one.result(), await one)\ntwo.cancel()\nprint(two.done)\ntwo.result()",
      { answer },
    );
    expect([later.stdout, later.error, later.evalue]).toEqual([
      "True found found\nTrue\n",
      "ToolError",
      "[it was stopped]",
    ]);
    expect(asked).toEqual([
      ["agent", true, undefined],
      ["agent", true, undefined],
      ["agent_handle", "task-1", "done"],
      ["agent_handle", "task-2", "done"],
      ["agent_handle", "task-1", "done"],
      ["agent_handle", "task-1", "result"],
      ["agent_handle", "task-2", "cancel"],
    ]);
    // What has ended is known without asking.
    expect((await kernel.run("one.result(), one.done, two.done")).value).toBe("('found', True, True)");
  });

  test("an interrupt of a cell that waits for one withdraws the question, and the handle still works", async () => {
    const interrupted = new AbortController();
    const asked: unknown[] = [];
    const answer = async ({ about, what }: Fields): Promise<Fields> => {
      if (about === "agent") return { text: "", details: { agent: "task-1" } };
      asked.push(what ?? about);
      if (what !== "result" || asked.length > 2) return what === "result" ? { ended: { text: "late" } } : {};
      interrupted.abort();
      return await new Promise<never>(() => undefined);
    };
    const code = "three = omp.agent.start('c')\nthree.result()";
    expect((await kernel.run(code, { answer, signal: interrupted.signal })).error).toBe("KeyboardInterrupt");
    await until("the question is withdrawn", () => asked.length === 2);
    expect(asked).toEqual(["result", "withdrawn"]);
    expect((await kernel.run("three.result()", { answer })).value).toBe("'late'");
  });
}

const MCP = `
import asyncio
print([each["tool"] for each in omp.mcp.search("weather")])
weather = omp.mcp.sky_net.get_weather(town="Oslo")
print(weather, weather["degrees"])
print(omp.mcp["sky.net"]["echo"](a=1))
print(await asyncio.gather(*(omp.mcp.sky_net.get_weather.aio(town=town) for town in "AB")))
try: omp.mcp.sky_net.taken_back()
except omp.ToolError as error: print(error)
omp.mcp.sky_net.rain()
`;

const COPIES = `
branching = (omp.branch, lambda task: omp.agent(task, kernel="branch"), lambda task: omp.agent.start(task, kernel="branch"))
for ask in branching:
    try: ask("x")
    except omp.ToolError as error: print(error)
`;
