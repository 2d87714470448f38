import { expect, test } from "bun:test";
import type { Agent } from "../../src/agent/agent.ts";
import { noticeMessage } from "../../src/agent/messages.ts";
import { type Model, type ModelEvent, type UserMessage, userMessage } from "../../src/protocol/index.ts";
import { agentWith, lines, runToEnd, scripted, story } from "./loop.ts";

const echo = { run: (input: unknown) => `ran ${JSON.stringify(input)}` };
const call = (name: string, input: unknown = {}) => ({ name, input });

test("the model's turn, its calls, their results, the next turn", async () => {
  const { model, requests } = scripted([
    { text: "Let me see.", toolCalls: [call("echo", { a: 1 })] },
    { text: "All done." },
  ]);
  const agent = agentWith(model, { toolsByName: { echo } });
  expect(story(await runToEnd(agent, "go"))).toEqual([
    "user: go",
    "assistant: Let me see.[tool_call]",
    "call call_1_1 echo",
    'result call_1_1 ran {"a":1}',
    "assistant: All done.",
    "end done after 2: All done.",
  ]);
  expect(requests.map(({ messages }) => lines(messages))).toEqual([
    ["user: go"],
    ["user: go", "assistant: Let me see.[tool_call]", 'call_1_1: ran {"a":1}'],
  ]);
  expect(lines(agent.history)).toEqual([
    "user: go",
    "assistant: Let me see.[tool_call]",
    'call_1_1: ran {"a":1}',
    "assistant: All done.",
  ]);
});

test("usage is that of the whole run, and a second run counts anew", async () => {
  const { model } = scripted([{ toolCalls: [call("echo")] }, { text: "one" }, { text: "two" }]);
  const agent = agentWith(model, { toolsByName: { echo } });
  const sum = async () => {
    const events = await runToEnd(agent, "go");
    const turns = events.flatMap((event) => (event.type === "assistant" ? [event.usage.inputTokens] : []));
    const end = events.at(-1);
    return [turns.reduce((a, b) => a + b, 0), end?.type === "end" ? end.usage.inputTokens : undefined];
  };
  const [first, firstTold] = await sum();
  expect(firstTold).toBe(first);
  const [second, secondTold] = await sum();
  expect(secondTold).toBe(second);
});

test("an unknown tool is told to the model, which goes on", async () => {
  const { model, requests } = scripted([{ toolCalls: [call("nope")] }, { text: "Sorry." }]);
  expect(story(await runToEnd(agentWith(model), "go")).at(-1)).toBe("end done after 2: Sorry.");
  expect(lines(requests[1]?.messages ?? []).at(-1)).toBe("call_1_1!: nope: unknown tool");
});

test("a run ends at its turn limit, with every call answered", async () => {
  const { model } = scripted(Array(5).fill({ text: "more", toolCalls: [call("echo")] }));
  const agent = agentWith(model, { toolsByName: { echo }, maxTurns: 2 });
  expect(story(await runToEnd(agent, "go")).at(-1)).toBe("end turn_limit after 2: more");
  expect(lines(agent.history).at(-1)).toBe("call_2_1: ran {}");
});

test("an error of the model ends the run with its line; the conversation can go on", async () => {
  const { model } = scripted([{ error: { status: 401, message: "no" } }, { text: "hello" }]);
  const agent = agentWith(model);
  expect(story(await runToEnd(agent, "go"))).toEqual([
    "user: go",
    "error AUTH: model: test refused access with status 401: no (AUTH)",
    "end failed after 1: ",
  ]);
  expect(story(await runToEnd(agent, "again")).at(-1)).toBe("end done after 1: hello");
});

test("a retry voids what was said since the turn began, and runs no tool twice", async () => {
  const runs: string[] = [];
  const { model } = scripted([
    { toolCalls: [call("count")] },
    { error: { status: 503, message: "busy" } },
    { error: { status: 529, message: "busy" } },
    { text: "done" },
  ]);
  const agent = agentWith(model, { toolsByName: { count: { run: () => String(runs.push("once")) } } });
  expect(story(await runToEnd(agent, "go"))).toEqual([
    "user: go",
    "assistant: [tool_call]",
    "call call_1_1 count",
    "result call_1_1 1",
    "retry 1",
    "retry 2",
    "assistant: done",
    "end done after 2: done",
  ]);
  expect(runs).toEqual(["once"]);
});

test("words that come while it works steer the next turn", async () => {
  const { model, requests } = scripted([
    { toolCalls: [call("echo")] },
    { text: "As you say." },
    { text: "And that, too." },
  ]);
  const agent: Agent = agentWith(model, {
    toolsByName: {
      echo: {
        run: () => {
          agent.inbox.add(userMessage("use tabs"));
          return "ok";
        },
      },
    },
  });
  const events = await runToEnd(agent, "go", {
    onEvent: (event) => {
      // After the model's last turn has begun: the run goes on for it.
      if (event.type === "text_delta" && event.text.startsWith("say"))
        agent.inbox.add(userMessage("and spaces"));
    },
  });
  expect(story(events)).toEqual([
    "user: go",
    "assistant: [tool_call]",
    "call call_1_1 echo",
    "result call_1_1 ok",
    "user: use tabs",
    "assistant: As you say.",
    "user: and spaces",
    "assistant: And that, too.",
    "end done after 3: And that, too.",
  ]);
  expect(lines(requests[1]?.messages ?? []).slice(-2)).toEqual(["call_1_1: ok", "user: use tabs"]);
});

test("what was queued and not read can be looked at, and taken back in part", () => {
  const agent = agentWith(scripted([]).model);
  const typed = userMessage("wait");
  const ran = userMessage("<user_ran …", { kind: "ran", tool: "bash", code: "ls" });
  agent.inbox.add(typed);
  agent.inbox.add(ran);
  expect(agent.inbox.queued).toEqual([typed, ran]);
  expect(agent.inbox.queued).toEqual([typed, ran]);
  expect(agent.inbox.remove(({ origin }) => origin.kind === "typed")).toEqual([typed]);
  expect(agent.inbox.queued).toEqual([ran]);
});

const announced = (message: UserMessage) => ({ type: "user" as const, message });

test("announcements come before the prompt and before later turns", async () => {
  const news = [
    [announced(noticeMessage("resumed", "resumed"))],
    [announced(noticeMessage("announcement", "a shell has ended"))],
    [],
  ];
  const { model } = scripted([{ toolCalls: [call("echo")] }, { text: "done" }]);
  const agent = agentWith(model, { toolsByName: { echo }, announcements: () => news.shift() ?? [] });
  expect(story(await runToEnd(agent, "go")).filter((line) => line.startsWith("user"))).toEqual([
    "user: [resumed]",
    "user: go",
    "user: [a shell has ended]",
  ]);
});

test("where nobody speaks after it, a run waits for subagents in the background, and the model reads how they ended", async () => {
  const usage = { inputTokens: 7, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: 1 };
  const origin = { kind: "announcement" as const, notice: "task-1 is done", agent: "task-1" };
  const end = { type: "user" as const, message: userMessage("[task-1 is done]\nfound", origin), usage };
  let working = ["task-1"];
  const ended: unknown[] = [];
  const background = {
    get working() {
      return working;
    },
    untilEnded: async () => {
      if (working.length > 0) ended.push(end);
      working = [];
    },
    endAll: async () => undefined,
  };
  const { model } = scripted([{ text: "started" }, { text: "It has found it." }]);
  const announcements = () => ended.splice(0) as (typeof end)[];
  const events = await runToEnd(agentWith(model, { background, announcements }), "go");
  expect(story(events).filter((line) => !line.startsWith("delta"))).toEqual([
    "user: go",
    "assistant: started",
    "notice: waiting for task-1",
    "user: [task-1 is done]\nfound",
    "assistant: It has found it.",
    "end done after 2: It has found it.",
  ]);
  const last = events.at(-1);
  expect(last?.type === "end" && last.usage.inputTokens).toBeGreaterThanOrEqual(7);
});

test("another model takes over with the next turn", async () => {
  const first = scripted([{ toolCalls: [call("echo")] }]);
  const second = scripted([{ text: "I am the second." }]);
  const agent = agentWith(first.model, { toolsByName: { echo } });
  const events = await runToEnd(agent, "go", {
    onEvent: (event) => {
      if (event.type === "tool_result") agent.switchModel(second.model);
    },
  });
  expect(story(events).at(-1)).toBe("end done after 2: I am the second.");
});

function ending(reason: "length" | "refused", text: string): Model {
  const { facts } = scripted([]).model;
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return {
    facts,
    async *stream(): AsyncGenerator<ModelEvent> {
      yield {
        type: "finish",
        reason,
        message: { role: "assistant", content: [{ type: "text", text }] },
        usage,
      };
    },
  };
}

test("a call that was cut off is not run, and the model reads why", async () => {
  const { facts } = scripted([]).model;
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const cut = { type: "tool_call", id: "c", name: "echo", input: '{"a', isCutOff: true } as const;
  const answers = [[cut], [{ type: "text", text: "Shorter, then." } as const]];
  const model: Model = {
    facts,
    async *stream(): AsyncGenerator<ModelEvent> {
      const content = answers.shift() ?? [];
      const reason = answers.length > 0 ? "length" : "stop";
      yield { type: "finish", reason, message: { role: "assistant", content }, usage };
    },
  };
  expect(story(await runToEnd(agentWith(model, { toolsByName: { echo } }), "go")).slice(2)).toEqual([
    "call c echo",
    "result c! [not run: your output limit was reached before this call was complete; make it shorter, or split it into several calls]",
    "assistant: Shorter, then.",
    "end done after 2: Shorter, then.",
  ]);
});

test("the end of a run says whether its answer was cut, or empty", async () => {
  const endOf = async (model: Model) => {
    const end = (await runToEnd(agentWith(model, { toolsByName: { echo } }), "go")).at(-1);
    return end?.type === "end" ? [end.status, end.text, end.isCut, end.isEmpty] : [];
  };
  expect(await endOf(scripted([{ text: "All done." }]).model)).toEqual(["done", "All done.", false, false]);
  expect(await endOf(ending("length", "half a"))).toEqual(["done", "half a", true, false]);
  expect(await endOf(ending("length", ""))).toEqual(["done", "", true, true]);
  const silent = scripted([{ text: "Let me see.", toolCalls: [call("echo")] }, {}]).model;
  expect(await endOf(silent)).toEqual(["done", "Let me see.", false, true]);
});

test("an answer that was cut off or is empty is told; a refusal is a failed run", async () => {
  expect(story(await runToEnd(agentWith(scripted([{}]).model), "go"))).toEqual([
    "user: go",
    "assistant: ",
    "notice: The answer is empty: test/model returned no text.",
    "end done after 1: ",
  ]);
  expect(story(await runToEnd(agentWith(ending("length", "half a")), "go"))).toEqual([
    "user: go",
    "assistant: half a",
    "notice: The answer was cut off: test/model reached its output limit.",
    "end done after 1: half a",
  ]);
  expect(story(await runToEnd(agentWith(ending("refused", "")), "go"))).toEqual([
    "user: go",
    "assistant: ",
    "error REFUSED: model: test/model refused to answer (REFUSED)",
    "end failed after 1: ",
  ]);
});

test("a bug is not taken for an outcome", async () => {
  const { facts } = scripted([]).model;
  const broken: Model = {
    facts,
    async *stream(): AsyncGenerator<ModelEvent> {
      yield { type: "text_delta", text: "x" };
      throw new TypeError("undefined is not a function");
    },
  };
  expect(runToEnd(agentWith(broken), "go")).rejects.toThrow("undefined is not a function");
});
