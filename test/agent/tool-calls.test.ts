import { expect, test } from "bun:test";
import { userMessage } from "../../src/protocol/index.ts";
import { agentWith, lines, runToEnd, scripted, story, type TestTool } from "./loop.ts";

const call = (name: string, input: unknown = {}) => ({ name, input });

/** Tools that tell when they begin and end, and wait for each other only as they are told to. */
function traced() {
  const trace: string[] = [];
  let together = Promise.withResolvers<void>();
  let waiting = 0;
  const enter = (name: string) => {
    trace.push(`+${name}`);
    return () => trace.push(`-${name}`);
  };
  const exclusive: TestTool = {
    run: async () => {
      const leave = enter("exclusive");
      await Bun.sleep(0);
      leave();
      return "ok";
    },
  };
  /** Ends only when two run at the same time. */
  const pair: TestTool = {
    concurrency: "parallel",
    run: async () => {
      const leave = enter("pair");
      waiting += 1;
      if (waiting === 2) {
        waiting = 0;
        together.resolve();
        together = Promise.withResolvers();
      } else await together.promise;
      leave();
      return "ok";
    },
  };
  return { trace, tools: { exclusive, pair } };
}

test("parallel calls overlap, exclusive ones never do, and the order is the model's", async () => {
  const { trace, tools } = traced();
  const { model } = scripted([
    { toolCalls: ["pair", "pair", "exclusive", "exclusive", "pair", "pair"].map((name) => call(name)) },
    { text: "done" },
  ]);
  const agent = agentWith(model, { toolsByName: tools });
  await runToEnd(agent, "go");
  expect(trace).toEqual([
    ...["+pair", "+pair", "-pair", "-pair"],
    ...["+exclusive", "-exclusive", "+exclusive", "-exclusive"],
    ...["+pair", "+pair", "-pair", "-pair"],
  ]);
  expect(lines(agent.history).slice(2, -1)).toEqual(
    [1, 2, 3, 4, 5, 6].map((number) => `call_1_${number}: ok`),
  );
});

test("a call is delivered before it runs: whoever logs it has it on disk by then", async () => {
  const logged: string[] = [];
  const seen: string[][] = [];
  const look: TestTool = { run: () => String(seen.push([...logged])) };
  const glance: TestTool = { ...look, concurrency: "parallel" };
  const { model } = scripted([
    { toolCalls: [call("look"), call("glance"), call("glance")] },
    { text: "done" },
  ]);
  await runToEnd(agentWith(model, { toolsByName: { look, glance } }), "go", {
    onEvent: (event) => {
      if (event.type === "tool_call") logged.push(event.id);
    },
  });
  expect(seen).toEqual([
    ["call_1_1"],
    ["call_1_1", "call_1_2", "call_1_3"],
    ["call_1_1", "call_1_2", "call_1_3"],
  ]);
});

test("output is delivered while the tool runs", async () => {
  const seen = Promise.withResolvers<void>();
  const slow: TestTool = {
    run: async (_, { onUpdate }) => {
      onUpdate("half");
      await seen.promise;
      onUpdate("whole");
      return "ok";
    },
  };
  const { model } = scripted([{ toolCalls: [call("slow")] }, { text: "done" }]);
  const events = await runToEnd(agentWith(model, { toolsByName: { slow } }), "go", {
    onEvent: (event) => {
      if (event.type === "tool_update") seen.resolve();
    },
  });
  expect(story(events).slice(2, 6)).toEqual([
    "call call_1_1 slow",
    "update call_1_1 half",
    "update call_1_1 whole",
    "result call_1_1 ok",
  ]);
});

test("a consumer that goes away leaves no tool running", async () => {
  const started = Promise.withResolvers<AbortSignal>();
  const endless: TestTool = {
    run: (_, { signal, onUpdate }) => {
      started.resolve(signal);
      onUpdate("running");
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve("stopped")));
    },
  };
  const { model } = scripted([{ toolCalls: [call("endless")] }]);
  const agent = agentWith(model, { toolsByName: { endless } });
  for await (const event of agent.run(userMessage("go"), new AbortController().signal)) {
    if (event.type === "tool_update") break;
  }
  expect((await started.promise).aborted).toBe(true);
});

test("the start of a cell is told between the outputs of its neighbours, however slow the reader is", async () => {
  const { model } = scripted([{ toolCalls: [call("cells")] }, { text: "done" }]);
  const cells: TestTool = {
    run: (_, { onUpdate }) => {
      onUpdate("[1/2]\n", 1);
      onUpdate("a");
      onUpdate("b");
      onUpdate("[2/2]\n", 2);
      onUpdate("c");
      return "ok";
    },
  };
  const events = await runToEnd(agentWith(model, { toolsByName: { cells } }), "go");
  expect(events.filter(({ type }) => type === "tool_update")).toEqual([
    { type: "tool_update", id: "call_1_1", text: "[1/2]\n", cell: 1 },
    { type: "tool_update", id: "call_1_1", text: "ab" },
    { type: "tool_update", id: "call_1_1", text: "[2/2]\n", cell: 2 },
    { type: "tool_update", id: "call_1_1", text: "c" },
  ]);
});
