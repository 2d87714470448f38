/** `omp -p` with MCP servers, as a user runs it: the model calls their tools, and nothing is left of them afterwards. */

import { beforeEach, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { peers } from "../mcp/session.ts";
import { trustPlace } from "../support/home.ts";
import { nothingLeft } from "../support/processes.ts";
import { until } from "../support/until.ts";
import { AgentPlace, linesOf } from "./agent-place.ts";

let omp: AgentPlace;
beforeEach(() => {
  omp = new AgentPlace();
});

const record = () => join(omp.place.home, "record");
function addServer(approval?: "ask"): void {
  const servers = { s: peers.recording(record()) };
  omp.settings({ mcp: { servers }, ...(approval === undefined ? {} : { approval }) });
}
const callOf = (tool: string) => ({ toolCalls: [{ name: `mcp__s__${tool}`, input: {} }] });

test("the model is told of a server's tools and calls them", async () => {
  addServer();
  const model = omp.script(callOf("change"), { text: "Done." });
  const run = await omp.run(["-m", model, "go", "--output-format", "stream-json"]);
  const [init, ...lines] = linesOf(run.stdout);
  expect(init?.["tools"]).toContain("mcp__s__change");
  expect(lines.filter(({ type }) => type === "tool_result")).toMatchObject([
    { name: "mcp__s__change", is_error: false, output: "changed", details: { server: "s", tool: "change" } },
  ]);
  expect([run.exitCode, run.stderr]).toEqual([0, ""]);
  await nothingLeft(omp.place);
});

test("prompts and resources of servers go to the model; what is not there ends the run", async () => {
  addServer();
  const model = omp.script({ text: "Done." }, { text: "Done." });
  const ask = async (...args: string[]) => {
    const { exitCode, stderr } = await omp.run(["-m", model, ...args]);
    return [exitCode, stderr];
  };
  expect(await ask("/s:first")).toEqual([0, ""]);
  expect(await ask("sum up @s:note://x, please")).toEqual([0, ""]);
  expect(readFileSync(record(), "utf8")).toContain('"resources/read","params":{"uri":"note://x"}');
  const words = "/s:first: 'x' is one too many: /s:first (BAD_ARGUMENT)\n";
  expect(await ask("/s:first x")).toEqual([2, words]);
  expect(await ask("/s:none")).toEqual([
    2,
    "/s:none: there is no such prompt; there are /s:first (UNKNOWN_PROMPT)\n",
  ]);
  const logs = new Bun.Glob("**/*.jsonl").scanSync(join(omp.place.home, ".omp/agent/omp-sessions"));
  const sent = [...logs].map((file) =>
    readFileSync(join(omp.place.home, ".omp/agent/omp-sessions", file), "utf8"),
  );
  expect(sent.join("")).toContain("the text of note://x");
  expect(sent.join("")).toContain("<assistant>\\nWhich one?");
});

test("what a server does is asked about in ask mode, and headless that means no", async () => {
  addServer("ask");
  const model = omp.script(callOf("change"), { text: "I could not." });
  const run = await omp.run(["-m", model, "go"]);
  expect(run.exitCode).toBe(4);
  expect(run.stderr).toContain("mcp__s__change: blocked: it is not known what it does; approval is needed");
  expect(readFileSync(record(), "utf8")).not.toContain("tools/call");
});

test("a project's server is not started before the project is trusted", async () => {
  const servers = { mcpServers: { s: peers.recording(record()) } };
  writeFileSync(join(omp.project, ".mcp.json"), JSON.stringify(servers));
  const model = omp.script(callOf("change"), { text: "Done." });
  const before = await omp.run(["-m", model, "go"]);
  expect(before.stderr).toContain("not trusted, so these were not used: .mcp.json (MCP server s).");
  expect(existsSync(record())).toBe(false);
  trustPlace(omp.place);
  expect((await omp.run(["-m", model, "go"])).stderr).toBe("");
  expect(readFileSync(record(), "utf8")).toContain("tools/call");
});

test.each(["SIGINT", "SIGKILL"] as const)("%s during a call leaves no server behind", async (signal) => {
  addServer();
  const child = omp.start(["-m", omp.script(callOf("hang")), "go"]);
  await until(
    "the call has arrived",
    () => existsSync(record()) && readFileSync(record(), "utf8").includes("tools/call"),
  );
  child.kill(signal);
  await child.exited;
  await nothingLeft(omp.place);
});
