/** Subagents that outlive the call that has started them: `task` in the background, and the handles of `omp.agent.start`. */

import { beforeEach, expect, test } from "bun:test";

import { join } from "node:path";
import { readSession } from "../../src/history/read.ts";
import { messageText } from "../../src/protocol/index.ts";
import { pidIn, processesWith } from "../support/processes.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { until } from "../support/until.ts";
import { AgentPlace, bash, linesOf, python } from "./agent-place.ts";
import { defineAgent } from "./define-agent.ts";

let omp: AgentPlace;
beforeEach(() => {
  omp = new AgentPlace();
});

const task = (agent: string) => ({ name: "task", input: { prompt: `Be ${agent}`, agent, background: true } });
const waitForFile = (name: string) => bash(`until [ -e ${name} ]; do sleep 0.02; done; echo there`);
const stream = ["--output-format", "stream-json"];
const shells = ["--tools", "bash,task", ...stream];

/** The whole output of a run, read as scripts read it. */
function read(stdout: string) {
  const lines = linesOf(stdout);
  const outputs = lines.flatMap(({ type, parent_id, output }) =>
    type === "tool_result" && parent_id === undefined ? [String(output).trim()] : [],
  );
  const announced = lines.flatMap(({ type, text }) => (type === "announcement" ? [String(text)] : []));
  return { lines, outputs, announced, result: lines.at(-1) };
}

/** What the model of the user's own session was told beside the conversation. */
function told(): string[] {
  const own = omp
    .logs()
    .map(readSession)
    .find(({ header }) => header.agent === undefined);
  return (own?.entries ?? []).flatMap((entry) =>
    entry.type === "user" && entry.message.origin.kind !== "typed" ? [messageText(entry.message)] : [],
  );
}

async function nothingLeft(): Promise<void> {
  await until("nothing is left", () => processesWith(`HOME=${omp.place.home}`).length === 0);
}

test("tasks in the background work beside the model and each other; the run waits for them, and the model reads their answers", async () => {
  defineAgent(omp, "left", [waitForFile("go"), bash("touch l"), waitForFile("r")], "left met");
  defineAgent(omp, "right", [waitForFile("go"), bash("touch r"), waitForFile("l")], "right met");
  const model = omp.script(
    { toolCalls: [task("left"), task("right")] },
    { toolCalls: [bash("touch go; echo mine")] },
    { text: "They work." },
    { text: "Both have met." },
  );
  const { stdout, stderr, exitCode } = await omp.run(["-m", model, "go", ...shells]);
  const { lines, outputs, announced, result } = read(stdout);
  expect(outputs).toEqual([
    "left-1 works in the background: its answer will be announced. Go on meanwhile.",
    "right-2 works in the background: its answer will be announced. Go on meanwhile.",
    "mine",
  ]);
  expect(announced.toSorted()).toEqual([
    expect.stringMatching(/^\[subagent left-1 is done after .*: Be left\]\nleft met$/),
    expect.stringMatching(/^\[subagent right-2 is done after .*: Be right\]\nright met$/),
  ]);
  expect(told().toSorted()).toEqual(announced.toSorted());
  expect([exitCode, result?.["text"], result?.["turns"]]).toEqual([0, "Both have met.", 4]);
  expect(stderr).toMatch(/^omp: waiting for (left-1|right-2)/);
  const used = lines.filter(({ type }) => type === "usage");
  expect(used.flatMap(({ parent_id }) => parent_id ?? []).toSorted()).toEqual(["call_1_1", "call_1_2"]);
  const sum = used.reduce((total, { input }) => total + Number(input), 0);
  expect(result).toMatchObject({ usage: { input: sum } });
  await nothingLeft();
});

test("a run that is stopped ends them, says so, and has their end in its log", async () => {
  defineAgent(omp, "slow", [bash("sleep 1000 & echo $! > pid; wait")], "never");
  const model = omp.script({ toolCalls: [task("slow")] }, { text: "It works." });
  const child = omp.start(["-m", model, "go", ...shells]);
  await until("its command runs", () => pidIn(join(omp.project, "pid")));
  child.kill("SIGINT");
  expect(await child.exited).toBe(130);
  expect(await new Response(child.stderr).text()).toContain(
    "omp: subagent slow-1 was still working and was ended: Be slow\n",
  );
  const { result, announced } = read(await new Response(child.stdout).text());
  expect(result).toMatchObject({ status: "interrupted" });
  expect(announced).toEqual([expect.stringContaining("slow-1 was still working when its session ended")]);
  expect(told()).toEqual(announced);
  await nothingLeft();
});

test("a session whose omp was killed meanwhile is told so when it is resumed, and so is the user", async () => {
  defineAgent(omp, "slow", [bash("sleep 1000 & echo $! > pid; wait")], "never");
  const model = omp.script({ toolCalls: [task("slow")] }, { text: "It works." });
  const child = omp.start(["-m", model, "go", ...shells]);
  await until("its command runs", () => pidIn(join(omp.project, "pid")));
  child.kill("SIGKILL");
  await child.exited;
  await nothingLeft();
  const { stderr } = await omp.run(["-m", omp.script({ text: "Pity." }), "and?", "--continue", ...shells]);
  expect(stderr).toBe("omp: subagents that were lost when omp was killed: slow-1\n");
  expect(told()).toEqual([
    expect.stringContaining("omp ended while subagents worked in the background: slow-1 did not get done."),
  ]);
});

describeWithPython(testPython, "with a Python", () => {
  /** Cells of one kernel, each in a turn of its own. */
  const cells = (...codes: readonly string[]) => [
    ...codes.map((code) => ({ toolCalls: [python(code)] })),
    { text: "Done." },
  ];

  test("a handle works in later cells: done, result, cancel and await; an interrupt of its cell is not its end", async () => {
    defineAgent(omp, "quick", [], "quick done");
    defineAgent(omp, "held", [waitForFile("go")], "held done");
    defineAgent(omp, "slow", [bash("touch begun; sleep 1000")], "never");
    const first =
      "held, slow = omp.agent.start('h', agent='held'), omp.agent.start('s', agent='slow')\nprint(held.done, held, flush=True)\nimport time; time.sleep(1000)";
    const model = omp.script(
      { toolCalls: [{ name: "python", input: { cells: [{ code: first }], timeout: 2 } }] },
      ...cells(
        "import os, time\nwhile not os.path.exists('begun'): time.sleep(0.02)\nslow.cancel()\nprint(slow.done)\nslow.result()",
        "quick = omp.agent.start('q', agent='quick')\nprint(await quick, quick.done, quick.result())",
        "open('go', 'w')\nprint(held.result(), held.done)",
      ),
    );
    const { stdout } = await omp.run(["-m", model, "go", ...stream]);
    const { outputs, announced } = read(stdout);
    expect(outputs[0]).toStartWith("False <omp.agent held-1>\n");
    expect(outputs[0]).toContain("Command timed out after 2 seconds");
    expect(outputs[1]?.split("\n")[0]).toBe("True");
    expect(outputs[1]).toContain("ToolError: [the subagent was interrupted]");
    expect(outputs[2]).toBe("quick done True quick done");
    expect(outputs[3]).toBe("held done True");
    // The cells have read the answers of two of them.
    expect(announced.map((text) => text.replace(/ after .*:/, ":"))).toEqual([
      "[subagent slow-2 was stopped: s]\n[the subagent was interrupted]",
      "[subagent quick-3 is done: q]",
      "[subagent held-1 is done: h]",
    ]);
    await nothingLeft();
  });

  test("a new kernel has no handle: the subagent goes on, and is announced with its answer", async () => {
    defineAgent(omp, "held", [waitForFile("go")], "held done");
    const model = omp.script(
      { toolCalls: [python("held = omp.agent.start('h', agent='held')")] },
      { toolCalls: [{ name: "python", input: { cells: [{ code: "'held' in dir()" }], reset: true } }] },
      { toolCalls: [bash("touch go")] },
      { text: "Waiting." },
      { text: "Done." },
    );
    const { outputs, announced } = read((await omp.run(["-m", model, "go", ...stream])).stdout);
    expect(outputs[1]).toBe("False");
    expect(announced).toEqual([expect.stringMatching(/^\[subagent held-1 is done .*: h\]\nheld done$/)]);
  });

  test("one that shares the kernel runs its cells between those of its parent", async () => {
    defineAgent(omp, "peer", [python("y = x + 1\nprint(y)")], "y is there");
    const told =
      "def told(ask):\n    try: return ask()\n    except omp.ToolError as error: return error.text\n";
    const model = omp.script(
      ...cells(
        `${told}x = 41\npeer = omp.agent.start('p', agent='peer', kernel='shared')\nprint(told(peer.result))\nprint(told(lambda: omp.agent('p', kernel='shared')))`,
      ).slice(0, 1),
      { text: "It works." },
      ...cells("print(y, peer.result())"),
    );
    const { outputs } = read((await omp.run(["-m", model, "go", ...stream])).stdout);
    expect(outputs).toEqual([
      [
        "omp.agent: peer-1 works in this kernel, and its cells wait for this one; ask again in a later cell (SHARED_KERNEL)",
        'omp.agent: this cell would wait for a subagent whose cells wait for this one; use omp.agent.start(…, kernel="shared") (SHARED_KERNEL)',
      ].join("\n"),
      "42 y is there",
    ]);
    await nothingLeft();
  });

  test("what cannot be started is told at once, by its name", async () => {
    const ask = (call: string) =>
      `try: omp.agent.start('go', ${call})\nexcept (omp.ToolError, ValueError) as error: print(error)\n`;
    const model = omp.script(
      ...cells(["agent='qick'", "kernel='fork'", "tools=['read', 'raed']"].map(ask).join("")),
    );
    const { outputs } = read((await omp.run(["-m", model, "go", ...stream])).stdout);
    expect(outputs[0]?.split("\n")).toEqual([
      "task: unknown agent 'qick'; none is defined here: leave it out (UNKNOWN_AGENT)",
      "omp.agent: kernel must be one of own, branch, shared",
      "omp.agent: unknown tool 'raed'; did you mean 'read'? (UNKNOWN_TOOL)",
    ]);
  });
});
