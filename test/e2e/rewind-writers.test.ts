/** `omp sessions rewind`: whoever writes to the project, and wherever the project is. */

import { beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { readSession } from "../../src/history/read.ts";
import { peers } from "../mcp/session.ts";
import { omp as runOmp } from "../support/omp.ts";
import { stateOf } from "../support/tree-state.ts";
import { AgentPlace, bash } from "./agent-place.ts";

let omp: AgentPlace;
beforeEach(() => {
  omp = new AgentPlace();
});

const ids = () => omp.logs().map((log) => readSession(log).header.id);
async function rewind(...args: readonly string[]): Promise<void> {
  const run = await runOmp(["sessions", "rewind", ...args], { place: omp.place });
  expect(run).toMatchObject({ exitCode: 0, stderr: "" });
}

test("a call of an MCP server's tool has a moment before it, and what the server wrote is taken back", async () => {
  omp.settings({ mcp: { servers: { s: peers.recording(join(omp.place.home, "record")) } } });
  const call = { toolCalls: [{ name: "mcp__s__write", input: { path: join(omp.project, "by-server") } }] };
  await omp.run(["-m", omp.script(call, { text: "ok" }), "go"]);
  expect(omp.text("by-server")).toBe("s");
  expect(omp.entries()).toContainEqual(
    expect.objectContaining({ type: "checkpoint", call: "call_1_1", files: expect.anything() }),
  );
  await rewind(ids()[0] ?? "", "--to", "1");
  expect(stateOf(omp.project)).toEqual({});
});

test("two omps at work in one project: each goes back to its own moment, and the undo brings back what both did", async () => {
  const write = (mine: string, other: string) =>
    bash(`touch begun-${mine}; while [ ! -e begun-${other} ]; do sleep 0.01; done; echo ${mine} > ${mine}`);
  const [one, two] = [
    omp.start(["-m", omp.script({ toolCalls: [write("one", "two")] }, { text: "ok" }), "go"]),
    omp.start(["-m", omp.script({ toolCalls: [write("two", "one")] }, { text: "ok" }), "go"]),
  ];
  expect([await one.exited, await two.exited]).toEqual([0, 0]);
  const both = stateOf(omp.project);
  expect(Object.keys(both)).toEqual(["begun-one", "begun-two", "one", "two"]);
  expect(ids()).toHaveLength(2);
  for (const id of ids()) {
    await rewind(id, "--to", "1");
    // Neither writes its file before both have begun; the other may have begun before this one's prompt.
    expect(Object.keys(stateOf(omp.project)).filter((name) => !name.startsWith("begun"))).toEqual([]);
    await rewind(id, "--undo");
    expect(stateOf(omp.project)).toEqual(both);
  }
});

// macOS has no such file system that is always there.
test.if(process.platform === "linux")(
  "a project on another file system than the home goes back and comes again",
  async () => {
    const project = mkdtempSync("/dev/shm/omp-test-");
    try {
      omp = new AgentPlace({ ...omp.place, project });
      expect(statSync(project).dev).not.toBe(statSync(omp.place.home).dev);
      const change = bash("echo 1 > a; chmod 755 a; mkdir -p d/empty; ln -s a link");
      await omp.run(["-m", omp.script({ toolCalls: [change] }, { text: "ok" }), "go"]);
      const made = stateOf(project);
      expect(Object.keys(made)).toEqual(["a", "d/empty/", "link"]);
      await rewind(ids()[0] ?? "", "--to", "1");
      expect(stateOf(project)).toEqual({});
      await rewind(ids()[0] ?? "", "--undo");
      expect(stateOf(project)).toEqual(made);
    } finally {
      rmSync(project, { recursive: true });
    }
  },
);
