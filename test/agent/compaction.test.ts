import { expect, test } from "bun:test";
import { summaryMessage } from "../../src/agent/messages.ts";
import { type Message, type Model, type ModelEvent, userMessage } from "../../src/protocol/index.ts";
import { agentWith, lines, runToEnd, scripted, story } from "./loop.ts";

const call = (name: string, input: unknown = {}) => ({ name, input });
const said = (characters: number) => userMessage("x".repeat(characters));
const reply: Message = { role: "assistant", content: [{ type: "text", text: "ok" }] };
const overflow = { error: { status: 400, message: "prompt is too long: 9 tokens > 8 maximum" } };
const useless =
  "notice: Compaction no longer frees space; the conversation continues without it until the context is full.";

test("near the limit the conversation becomes a summary and the newest messages", async () => {
  const { model, requests } = scripted([{ text: "They talked about x." }, { text: "done" }], {
    contextTokens: 1_000,
  });
  const agent = agentWith(model, { history: [said(4_000), reply, said(40), reply] });
  expect(story(await runToEnd(agent, "go"))).toEqual([
    "user: go",
    "compacted: They talked about x. (kept 2)",
    "assistant: done",
    "end done after 1: done",
  ]);
  expect(requests[0]?.system).toBe("Sum up.");
  expect(lines(requests[1]?.messages ?? [])).toEqual([
    ...lines([summaryMessage("They talked about x.")]),
    `user: ${"x".repeat(40)}`,
    "assistant: ok",
    "user: go",
  ]);
});

test("what a summary cost and how much it left are told with it", async () => {
  const { model } = scripted([{ text: "Short." }, { text: "done" }], { contextTokens: 1_000 });
  const agent = agentWith(model, { history: [said(4_000), reply] });
  const events = await runToEnd(agent, "go");
  const [summary] = events.flatMap((event) => (event.type === "compacted" ? [event] : []));
  const usages = events.flatMap((event) =>
    "usage" in event && event.usage ? [event.usage.inputTokens] : [],
  );
  expect(usages.slice(0, -1).reduce((a, b) => a + b, 0)).toBe(usages.at(-1) ?? 0);
  expect(summary?.tokensBefore).toBeGreaterThan(1_000);
  expect(summary?.tokensAfter).toBeLessThan(200);
});

test("what is short enough stays word by word, from a user's message on", async () => {
  const old = Array.from({ length: 6 }, () => [said(800), reply]).flat();
  const { model, requests } = scripted([{ text: "S" }, { text: "done" }], { contextTokens: 1_200 });
  const agent = agentWith(model, { history: [...old, reply, said(12), reply, reply] });
  expect(story(await runToEnd(agent, "go"))[1]).toBe("compacted: S (kept 2)");
  expect(lines(requests[1]?.messages ?? []).slice(1)).toEqual([
    `user: ${"x".repeat(12)}`,
    "assistant: ok",
    "assistant: ok",
    "user: go",
  ]);
});

test("a long result counts before the provider has counted it", async () => {
  const { model } = scripted([{ toolCalls: [call("flood")] }, { text: "S" }, { text: "done" }], {
    contextTokens: 2_000,
  });
  const agent = agentWith(model, { toolsByName: { flood: { run: () => "y".repeat(8_000) } } });
  expect(story(await runToEnd(agent, "go")).slice(-3)).toEqual([
    "compacted: S (kept 0)",
    "assistant: done",
    "end done after 2: done",
  ]);
});

test("when the provider says that it is too long, it is summed up and tried once more", async () => {
  const { model, requests } = scripted([overflow, { text: "S" }, { text: "done" }]);
  const agent = agentWith(model, { history: [said(100), reply] });
  expect(story(await runToEnd(agent, "go"))).toEqual([
    "user: go",
    "compacted: S (kept 1)",
    "assistant: done",
    "end done after 1: done",
  ]);
  // Not what was too much just now, however large its context is thought to be.
  expect(lines(requests[2]?.messages ?? [])).toEqual([...lines([summaryMessage("S")]), "user: go"]);
});

test("too long again: the run fails with the provider's words, and a third run does not sum up any more", async () => {
  const { model, requests } = scripted([
    ...[overflow, { text: "S" }, overflow],
    ...[overflow, { text: "S" }, overflow],
    overflow,
  ]);
  const agent = agentWith(model, { history: [said(100), reply] });
  const failed = [
    "error CONTEXT_OVERFLOW: model: the conversation is too long for test/model: prompt is too long: 9 tokens > 8 maximum (CONTEXT_OVERFLOW)",
    "end failed after 1: ",
  ];
  expect(story(await runToEnd(agent, "1"))).toEqual(["user: 1", "compacted: S (kept 1)", ...failed]);
  expect(story(await runToEnd(agent, "2")).slice(1)).toEqual([
    expect.stringMatching(/^compacted: S/),
    useless,
    ...failed,
  ]);
  expect(story(await runToEnd(agent, "3"))).toEqual(["user: 3", ...failed]);
  expect(requests).toHaveLength(7);
});

test("after two summaries that made no room there is no third, and the run goes on", async () => {
  const work = { toolCalls: [call("flood")] };
  // The system prompt alone takes it all.
  const { model, requests } = scripted(
    [{ text: "S1" }, work, { text: "S2" }, work, work, work, { text: "done" }],
    { contextTokens: 500 },
  );
  const agent = agentWith(model, {
    system: "s".repeat(2_000),
    toolsByName: { flood: { run: () => "z" } },
  });
  const told = story(await runToEnd(agent, "go"));
  expect(told.filter((line) => !/^(?:call|result|assistant)/.test(line))).toEqual([
    "user: go",
    "compacted: S1 (kept 1)",
    "compacted: S2 (kept 1)",
    useless,
    "end done after 5: done",
  ]);
  expect(requests).toHaveLength(7);
});

test("a summary that cannot be had leaves the conversation as it is", async () => {
  const { model } = scripted(
    [{ error: { status: 401, message: "no" } }, { text: "" }, { text: "done" }, { text: "done" }],
    { contextTokens: 1_000 },
  );
  const history = [said(4_000), reply];
  const agent = agentWith(model, { history });
  expect(story(await runToEnd(agent, "go")).slice(0, 2)).toEqual([
    "user: go",
    "notice: The conversation could not be compacted: test refused access with status 401: no",
  ]);
  expect(agent.history.slice(0, 2)).toEqual(history);
});

test("the user may have it summed up at any time", async () => {
  const { model } = scripted([{ text: "S" }, { error: { status: 401, message: "no" } }]);
  const agent = agentWith(model, { history: [said(100), reply] });
  const compact = async () => {
    const events = [];
    for await (const event of agent.compact(new AbortController().signal)) events.push(event);
    return story(events);
  };
  expect(await compact()).toEqual(["compacted: S (kept 1)"]);
  expect(await compact()).toEqual(["error AUTH: model: test refused access with status 401: no (AUTH)"]);
});

test("the request for a summary is bounded, however long the conversation is", async () => {
  const history = Array.from({ length: 300 }, () => [said(20_000), reply]).flat();
  const { model, requests } = scripted([{ text: "S" }, { text: "done" }], { contextTokens: 10_000 });
  await runToEnd(agentWith(model, { history }), "go");
  const [asked = ""] = lines(requests[0]?.messages ?? []);
  expect(asked.length).toBeLessThan(10_000 * 4 * 0.6);
  expect(asked).toContain("characters left out");
});

test("a server that does not count is counted for", async () => {
  const silent: Model = {
    facts: scripted([], { contextTokens: 1_000 }).model.facts,
    async *stream({ tools, system }): AsyncGenerator<ModelEvent> {
      const text = tools.length === 0 && system === "Sum up." ? "S" : "ok";
      const message = { role: "assistant", content: [{ type: "text", text }] } as const;
      const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
      yield { type: "finish", reason: "stop", message, usage };
    },
  };
  const agent = agentWith(silent);
  const told = [];
  for (let run = 0; run < 5; run += 1) told.push(...story(await runToEnd(agent, "w".repeat(1_000))));
  expect(told.filter((line) => line.startsWith("compacted"))).toEqual(["compacted: S (kept 1)"]);
});
