import { expect, test } from "bun:test";
import { type AgentEvent, userMessage } from "../../src/protocol/index.ts";
import { agentWith, lines, runToEnd, scripted, story, type TestTool } from "./loop.ts";

const call = (name: string, input: unknown = {}) => ({ name, input });

/** Runs and aborts at the first event that fits. */
async function abortedAt(
  agent: ReturnType<typeof agentWith>,
  fits: (event: AgentEvent) => boolean,
  controller = new AbortController(),
) {
  const events = await runToEnd(agent, "go", {
    signal: controller.signal,
    onEvent: (event) => {
      if (fits(event)) controller.abort();
    },
  });
  return story(events);
}

test("while the model speaks: what was seen of its turn is kept, and only the model reads that it was interrupted", async () => {
  const { model, requests } = scripted([{ text: "one two three" }, { text: "fine" }]);
  const agent = agentWith(model);
  expect(await abortedAt(agent, (event) => event.type === "text_delta" && event.text === "two ")).toEqual([
    "user: go",
    "assistant: one two ",
    "end interrupted after 1: ",
  ]);
  expect(story(await runToEnd(agent, "go on")).at(-1)).toBe("end done after 1: fine");
  expect(agent.history[1]).toEqual({
    role: "assistant",
    content: [{ type: "text", text: "one two " }],
    isInterrupted: true,
  });
  expect(lines(requests[1]?.messages ?? [])).toEqual([
    "user: go",
    "assistant: one two ",
    "user: [the user interrupted your answer here]",
    "user: go on",
  ]);
});

test("before the first word", async () => {
  const controller = new AbortController();
  const { model } = scripted([{ text: "late", delayMs: 600_000 }], {
    onRequest: () => queueMicrotask(() => controller.abort()),
  });
  expect(await abortedAt(agentWith(model), () => false, controller)).toEqual([
    "user: go",
    "end interrupted after 1: ",
  ]);
});

test("while it waits to try again", async () => {
  const { model } = scripted([{ error: { status: 503, message: "busy" } }], { retryDelayMs: 600_000 });
  expect(await abortedAt(agentWith(model), (event) => event.type === "retry")).toEqual([
    "user: go",
    "retry 1",
    "end interrupted after 1: ",
  ]);
});

test("while a tool runs: it hears of it, and calls that were to follow are answered and not run", async () => {
  const later: string[] = [];
  const stuck: TestTool = {
    run: (_, { signal }) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve("[stopped in the middle]"))),
  };
  const next: TestTool = { run: () => String(later.push("ran")) };
  const { model } = scripted([{ toolCalls: [call("stuck"), call("next")] }, { text: "fine" }]);
  const agent = agentWith(model, { toolsByName: { stuck, next } });
  const controller = new AbortController();
  const aborted = abortedAt(
    agent,
    (event) => {
      if (event.type === "tool_call" && event.name === "stuck") setTimeout(() => controller.abort(), 1);
      return false;
    },
    controller,
  );
  const interrupted = "[interrupted by the user before it was started]";
  expect(await aborted).toEqual([
    "user: go",
    "assistant: [tool_call][tool_call]",
    "call call_1_1 stuck",
    "result call_1_1 [stopped in the middle]",
    "call call_1_2 next",
    `result call_1_2! ${interrupted}`,
    "end interrupted after 1: ",
  ]);
  expect(later).toEqual([]);
  await runToEnd(agent, "go on");
  expect(lines(agent.history)).toEqual([
    "user: go",
    "assistant: [tool_call][tool_call]",
    "call_1_1: [stopped in the middle]",
    `call_1_2!: ${interrupted}`,
    "user: go on",
    "assistant: fine",
  ]);
});

test("while the conversation is summed up: it stays as it was", async () => {
  const controller = new AbortController();
  const history = [userMessage("x".repeat(4_000))];
  const { model } = scripted([{ text: "summary", delayMs: 600_000 }], {
    contextTokens: 1_000,
    onRequest: () => queueMicrotask(() => controller.abort()),
  });
  const agent = agentWith(model, { history });
  expect(await abortedAt(agent, () => false, controller)).toEqual(["user: go", "end interrupted after 0: "]);
  expect(agent.history).toHaveLength(2);
});

test("before anything began", async () => {
  const agent = agentWith(scripted([]).model);
  expect(story(await runToEnd(agent, "go", { signal: AbortSignal.abort() }))).toEqual([
    "user: go",
    "end interrupted after 1: ",
  ]);
});
