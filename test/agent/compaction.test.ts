import { expect, test } from "bun:test";
import { summaryMessage } from "../../src/agent/messages.ts";
import { type Message, type Model, type ModelEvent, userMessage } from "../../src/protocol/index.ts";
import { agentWith, lines, runToEnd, scripted, story } from "./loop.ts";

const call = (name: string, input: unknown = {}) => ({ name, input });
const said = (characters: number) => userMessage("x".repeat(characters));
const answered = (characters: number): Message => ({
  role: "assistant",
  content: [{ type: "text", text: "a".repeat(characters) }],
});
const reply: Message = { role: "assistant", content: [{ type: "text", text: "ok" }] };
const overflow = { error: { status: 400, message: "prompt is too long: 9 tokens > 8 maximum" } };
const useless =
  "notice: Compaction no longer frees any space, so the conversation continues without it until the context is full.";

test("near the limit the conversation becomes the user's words, a summary and the newest messages", async () => {
  const { model, requests } = scripted([{ text: "They talked about x." }, { text: "done" }], {
    contextTokens: 1_000,
  });
  const agent = agentWith(model, { history: [userMessage("Do x."), answered(4_000), said(40), reply] });
  expect(story(await runToEnd(agent, "go"))).toEqual([
    "user: go",
    "compacted: They talked about x. (kept 4)",
    "assistant: done",
    "end done after 1: done",
  ]);
  expect(requests[0]?.system).toBe("Sum up.");
  expect(lines(requests[1]?.messages ?? [])).toEqual([
    "user: Do x.",
    ...lines([summaryMessage("They talked about x.")]),
    `user: ${"x".repeat(40)}`,
    "assistant: ok",
    "user: go",
  ]);
});

test("one prompt and many calls: the prompt and the newest calls stay, again and again", async () => {
  const work = (n: number) => ({ toolCalls: [call("look", { n })] });
  const turns = Array.from({ length: 30 }, (_, n) => work(n));
  const { model, requests } = scripted([...turns, { text: "done" }], { contextTokens: 2_000, summary: "S" });
  const agent = agentWith(model, { maxTurns: 40, toolsByName: { look: { run: () => "y".repeat(600) } } });
  const told = story(await runToEnd(agent, "Rename foo to bar."));
  expect(told.at(-1)).toBe("end done after 31: done");
  expect(told.filter((line) => line.startsWith("compacted")).length).toBeGreaterThan(2);
  for (const { messages } of requests.filter(({ system }) => system !== "Sum up.")) {
    expect(lines(messages)[0]).toBe("user: Rename foo to bar.");
    expect(lines(messages).filter((line) => line.startsWith("user: <summary")).length).toBeLessThan(2);
    if (messages.length > 1) expect(messages.at(-1)).toMatchObject({ role: "tool", output: "y".repeat(600) });
  }
});

test("what the user wrote in between stays, too, the newest first; a prompt that is too long is shortened", async () => {
  const { model, requests } = scripted([{ text: "S" }, { text: "done" }], { contextTokens: 8_000 });
  const task = userMessage(`Begin ${"x".repeat(20_000)} end.`);
  const report = userMessage("<user_ran …", { kind: "ran", tool: "bash", code: "ls" });
  const agent = agentWith(model, {
    history: [task, answered(4_000), report, userMessage("Use tabs."), answered(9_000)],
  });
  await runToEnd(agent, "go");
  const [first = "", ...others] = lines(requests[1]?.messages ?? []);
  expect(first).toMatch(/^user: Begin x+\n\[… \d+ characters left out …\]\nx+ end\.$/);
  expect(first.length).toBeLessThan(8_100);
  expect(others.slice(0, 2)).toEqual(["user: Use tabs.", ...lines([summaryMessage("S")])]);
});

test("a result that is too long for what is kept is shortened, and stays with its call", async () => {
  const { model, requests } = scripted([{ toolCalls: [call("flood")] }, { text: "S" }, { text: "done" }], {
    contextTokens: 2_000,
  });
  const agent = agentWith(model, {
    toolsByName: { flood: { run: () => `first ${"y".repeat(8_000)} last` } },
  });
  expect(story(await runToEnd(agent, "go")).slice(-3)).toEqual([
    "compacted: S (kept 3)",
    "assistant: done",
    "end done after 2: done",
  ]);
  const [prompt, summary, asked, result = ""] = lines(requests[2]?.messages ?? []);
  expect([prompt, summary, asked]).toEqual([
    "user: go",
    ...lines([summaryMessage("S")]),
    "assistant: [tool_call]",
  ]);
  expect(result).toMatch(/^call_1_1: first y+\n\[… \d+ characters left out …\]\ny+ last$/);
  expect(result.length).toBeLessThan(1_200);
});

test("a summary that is longer than asked for is cut", async () => {
  const { model, requests } = scripted([{ text: "s".repeat(50_000) }, { text: "done" }], {
    contextTokens: 4_000,
  });
  const agent = agentWith(model, { history: [userMessage("Do x."), answered(16_000)] });
  await runToEnd(agent, "go");
  expect(lines(requests[1]?.messages ?? []).join("\n").length).toBeLessThan(4_300);
});

test("instructions and tools that do not fit into the context are told at once, and nothing is sent", async () => {
  const { model, requests } = scripted([], { contextTokens: 2_048 });
  const agent = agentWith(model, { system: "s".repeat(12_000) });
  expect(story(await runToEnd(agent, "go"))).toEqual([
    "user: go",
    "error CONTEXT_TOO_SMALL: model: test/model has a context of 2,048 tokens; omp's instructions and tools alone " +
      "take about 3,001: use a model with a larger context, or fewer tools (--tools) (CONTEXT_TOO_SMALL)",
    "end failed after 0: ",
  ]);
  expect(requests).toHaveLength(0);
});

test("too long when there is nothing to sum up yet: the same, with the provider's words", async () => {
  const { model, requests } = scripted([overflow]);
  const agent = agentWith(model, { system: "s".repeat(12_000) });
  expect(story(await runToEnd(agent, "go"))).toEqual([
    "user: go",
    "error CONTEXT_TOO_SMALL: model: the conversation is too long for test/model: prompt is too long: 9 tokens > 8 maximum; " +
      "omp's instructions and tools alone take about 3,001: use a model with a larger context, or fewer tools (--tools) (CONTEXT_TOO_SMALL)",
    "end failed after 1: ",
  ]);
  expect(requests).toHaveLength(1);
});

test("what a summary cost and how much it left are told with it", async () => {
  const { model } = scripted([{ text: "Short." }, { text: "done" }], { contextTokens: 1_000 });
  const agent = agentWith(model, { history: [answered(4_000)] });
  const events = await runToEnd(agent, "go");
  const [summary] = events.flatMap((event) => (event.type === "compacted" ? [event] : []));
  const usages = events.flatMap((event) =>
    "usage" in event && event.usage ? [event.usage.inputTokens] : [],
  );
  expect(usages.slice(0, -1).reduce((a, b) => a + b, 0)).toBe(usages.at(-1) ?? 0);
  expect(summary?.tokensBefore).toBeGreaterThan(1_000);
  expect(summary?.tokensAfter).toBeLessThan(200);
});

test("no call is separated from its result", async () => {
  const { model, requests } = scripted([{ text: "S" }, { text: "done" }], { contextTokens: 1_200 });
  const calls = ["a", "b", "c"].map((id) => ({ type: "tool_call", id, name: "look", input: {} }) as const);
  const results = calls.map(
    ({ id: callId, name }): Message => ({ role: "tool", callId, name, output: callId, isError: false }),
  );
  const turn: Message = { role: "assistant", content: calls };
  const agent = agentWith(model, { history: [answered(4_000), turn, ...results, reply, reply] });
  expect(story(await runToEnd(agent, "go"))[1]).toBe("compacted: S (kept 3)");
  expect(lines(requests[1]?.messages ?? []).slice(1)).toEqual(["assistant: ok", "assistant: ok", "user: go"]);
});

test("when the provider says that it is too long, it is summed up and tried once more", async () => {
  const { model, requests } = scripted([overflow, { text: "S" }, { text: "done" }]);
  const agent = agentWith(model, { history: [userMessage("Do x."), answered(400), reply] });
  expect(story(await runToEnd(agent, "go"))).toEqual([
    "user: go",
    "compacted: S (kept 3)",
    "assistant: done",
    "end done after 1: done",
  ]);
  // Not what was too much just now, however large its context is thought to be.
  expect(lines(requests[2]?.messages ?? [])).toEqual([
    "user: Do x.",
    ...lines([summaryMessage("S")]),
    "assistant: ok",
    "user: go",
  ]);
});

test("too long again: the run fails with the provider's words, and a second run does not sum up the summary", async () => {
  const { model, requests } = scripted([...[overflow, { text: "S" }, overflow], overflow]);
  const agent = agentWith(model, { history: [userMessage("Do x."), answered(400)] });
  const said = "model: the conversation is too long for test/model: prompt is too long: 9 tokens > 8 maximum";
  expect(story(await runToEnd(agent, "1"))).toEqual([
    "user: 1",
    "compacted: S (kept 2)",
    `error CONTEXT_OVERFLOW: ${said} (CONTEXT_OVERFLOW)`,
    "end failed after 1: ",
  ]);
  expect(story(await runToEnd(agent, "2"))[1]).toStartWith(`error CONTEXT_TOO_SMALL: ${said}; omp's`);
  expect(requests).toHaveLength(4);
});

test("after two summaries that made no room there is no third, and the run goes on", async () => {
  const work = (n: number) => ({ toolCalls: [call("flood", { n })] });
  // The system prompt takes nearly everything.
  const { model, requests } = scripted(
    [work(1), { text: "S1" }, work(2), { text: "S2" }, work(3), work(4), { text: "done" }],
    { contextTokens: 5_000 },
  );
  const agent = agentWith(model, {
    system: "s".repeat(18_000),
    toolsByName: { flood: { run: () => "z".repeat(2_400) } },
  });
  const told = story(await runToEnd(agent, "go"));
  expect(told.filter((line) => !/^(?:call|result|assistant)/.test(line))).toEqual([
    "user: go",
    "compacted: S1 (kept 3)",
    "compacted: S2 (kept 3)",
    useless,
    "end done after 5: done",
  ]);
  expect(requests).toHaveLength(7);
});

test("pictures take space, but not from a model that gets none", async () => {
  const picture: Message = {
    role: "user",
    origin: { kind: "typed" },
    content: [{ type: "image", mediaType: "image/png", base64: "" }],
  };
  for (const acceptsImages of [true, false]) {
    const { model } = scripted([{ text: "done" }], { contextTokens: 2_000, acceptsImages, summary: "S" });
    const told = story(await runToEnd(agentWith(model, { history: [picture, answered(600)] }), "go"));
    expect(told.filter((line) => line.startsWith("compacted"))).toHaveLength(acceptsImages ? 1 : 0);
  }
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
  expect(await compact()).toEqual(["compacted: S (kept 2)"]);
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
  expect(told.filter((line) => line.startsWith("compacted"))).toEqual(["compacted: S (kept 2)"]);
});
