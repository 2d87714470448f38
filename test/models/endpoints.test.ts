/** Servers other than the big providers': what the user wants sent to them, and what they leave out of their answers. */

import { describe, expect, test } from "bun:test";
import type { CustomEndpoint } from "../../src/models/custom-endpoint.ts";
import { openModel } from "../../src/models/open-model.ts";
import { anthropic } from "./formats/anthropic.ts";
import { compatible } from "./formats/compatible.ts";
import { events } from "./formats/format.ts";
import { google } from "./formats/google.ts";
import { openai } from "./formats/openai.ts";
import { errorOf, openAt, quickRetry, request, turnOf } from "./turn-of.ts";
import { type Reply, serve } from "./wire-server.ts";

async function openEndpoint(url: string, endpoint: Partial<CustomEndpoint>) {
  const endpoints = [
    { name: "mine", baseUrl: `${url}/v1`, models: [{ id: "m", contextTokens: 9_000 }], ...endpoint },
  ];
  return await openModel("mine/m", { cwd: "/", env: {}, endpoints, retry: quickRetry().retry });
}

describe("an endpoint's requests", () => {
  const models = [{ id: "m", contextTokens: 9_000, maxOutputTokens: 700, parameters: { temperature: 0 } }];
  const parameters = { temperature: 0.5, reasoning: { effort: "low" } };

  test("Chat Completions: the longest answer, and the parameters, a model's own before its endpoint's", async () => {
    const server = await serve({ body: compatible.turn({ text: ["ok"] }) });
    await turnOf(await openEndpoint(server.url, { parameters, models, headers: { "x-team": "tools" } }));
    expect(server.asked[0]?.headers.get("x-team")).toBe("tools");
    expect(server.asked[0]?.body).toMatchObject({
      max_tokens: 700,
      temperature: 0,
      reasoning: { effort: "low" },
      messages: [{ role: "system", content: "Be brief." }, { role: "user" }],
    });
  });

  test("Responses: the same", async () => {
    const server = await serve({ body: openai.turn({ text: ["ok"] }) });
    const model = await openEndpoint(server.url, { api: "responses", parameters, models });
    expect((await turnOf(model)).text).toBe("ok");
    expect(server.asked[0]?.path).toBe("/v1/responses");
    expect(server.asked[0]?.body).toMatchObject({
      max_output_tokens: 700,
      temperature: 0,
      reasoning: { effort: "low" },
    });
  });

  test("what was not set is not sent", async () => {
    const reply = { body: compatible.turn({ text: ["ok"] }) };
    const server = await serve(reply);
    await turnOf(await openEndpoint(server.url, {}));
    expect(Object.keys(server.asked[0]?.body ?? {}).sort()).toEqual([
      "messages",
      "model",
      "stream",
      "stream_options",
    ]);
  });
});

describe.each([anthropic, openai, google, compatible])("$name", (format) => {
  test("a turn ends at the provider's last event, though the connection stays open", async () => {
    const silent: Reply = { body: format.turn({ text: ["Hel", "lo"] }), ending: "silence" };
    const server = await serve(silent);
    const { text, finish } = await turnOf(await openAt(format, server.url, { idleTimeoutMs: 600_000 }));
    expect([text, finish.reason, finish.usage.outputTokens]).toEqual(["Hello", "stop", 20]);
  });

  test("what a model writes about the last event does not end the turn", async () => {
    const text = [
      '{"type":"message_stop"}',
      '"response.completed" [DONE]',
      'data: [DONE]\n\n"finishReason":"STOP" "usageMetadata"',
      '{"finish_reason":"stop","usage":{}}',
    ];
    const server = await serve({ body: format.turn({ text }) });
    expect((await turnOf(await openAt(format, server.url))).text).toBe(text.join(""));
  });
});

test("Chat Completions: so does one without [DONE], once its tokens are counted", async () => {
  const body = compatible.turn({ text: ["Hello"] }).slice(0, -1);
  const server = await serve({ body, ending: "silence" });
  const model = await openAt(compatible, server.url, { idleTimeoutMs: 600_000 });
  const { text, finish } = await turnOf(model);
  expect([text, finish.usage.outputTokens]).toEqual(["Hello", 20]);
});

test("Chat Completions: an empty finish reason, and tokens counted all along, end nothing", async () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1 };
  const body = compatible
    .turn({ text: ["Hel", "lo"] })
    .map((each) =>
      each
        .replace('"finish_reason":null', `"finish_reason":""`)
        .replace("{", `{"usage":${JSON.stringify(usage)},`),
    );
  const server = await serve({ body });
  expect((await turnOf(await openAt(compatible, server.url))).text).toBe("Hello");
});

describe("a call that the output limit cut off", () => {
  const call = { id: "c", name: "write", pieces: ['{"path":"a.txt","content":"half'] };
  test.each([
    ["Chat Completions", compatible, (each: string) => each.replace('"tool_calls"}', '"length"}')],
    [
      "Messages",
      anthropic,
      (each: string) => each.replace('"stop_reason":"tool_use"', '"stop_reason":"max_tokens"'),
    ],
    [
      "Responses",
      openai,
      (each: string) =>
        each
          .replace('"type":"response.completed"', '"type":"response.incomplete"')
          .replace('"incomplete_details":null', '"incomplete_details":{"reason":"max_output_tokens"}'),
    ],
  ])("%s: is marked", async (_name, format, cut) => {
    const server = await serve({ body: format.turn({ calls: [call] }).map(cut) });
    const { finish } = await turnOf(await openAt(format, server.url));
    expect([finish.reason, finish.message.content.at(-1)]).toMatchObject([
      "length",
      { type: "tool_call", name: "write", isCutOff: true },
    ]);
  });

  test("one that is whole, or that ended for another reason, is not", async () => {
    const whole = { ...call, pieces: ['{"path":"a.txt"}'] };
    const limit = (each: string) => each.replace('"tool_calls"}', '"length"}');
    const server = await serve(
      { body: compatible.turn({ calls: [whole] }).map(limit) },
      { body: compatible.turn({ calls: [call] }) },
    );
    const model = await openAt(compatible, server.url);
    for (let turn = 0; turn < 2; turn += 1)
      expect(JSON.stringify((await turnOf(model)).finish.message)).not.toContain("isCutOff");
  });
});

describe("Responses servers that leave fields out", () => {
  /** Everything that is not needed to understand an event. */
  const optional =
    /"(?:output_index|item_id|content_index|summary_index|sequence_number|created_at|status|id|call_id|model|service_tier|incomplete_details|encrypted_content)":(?:"[^"]*"|-?\d+|null),?/g;
  const bare = (chunks: readonly string[]) =>
    chunks.map((each) => each.replace(optional, "").replaceAll(/,(?=[}\]])/g, ""));

  test("text, reasoning and calls are read", async () => {
    const calls = [{ id: "c", name: "read", pieces: ['{"path":', '"a.txt"}'] }];
    const server = await serve({ body: bare(openai.turn({ reasoning: ["Hm."], text: ["Look."], calls })) });
    const { text, reasoning, retries, finish } = await turnOf(await openAt(openai, server.url));
    expect({ text, reasoning, retries }).toEqual({ text: "Look.", reasoning: "Hm.", retries: [] });
    expect(finish.message.content.at(-1)).toMatchObject({
      type: "tool_call",
      id: expect.stringMatching(/./),
      name: "read",
      input: { path: "a.txt" },
    });
  });

  test("so is a turn that consists of hardly anything", async () => {
    const server = await serve({
      body: events(
        { type: "response.reasoning_summary_text.delta", delta: "Hm." },
        { type: "response.output_text.delta", delta: "Hel" },
        { type: "response.output_text.delta", delta: "lo" },
        { type: "response.completed", response: { usage: { input_tokens: 3 } } },
      ),
    });
    const { text, retries, finish } = await turnOf(await openAt(openai, server.url));
    expect([text, retries, finish.usage.inputTokens]).toEqual(["Hello", [], 3]);
  });

  test("the events of llama.cpp", async () => {
    const item = { type: "function_call", call_id: "fc_1", name: "read" };
    const first = { type: "message", id: "msg_1", role: "assistant", content: [], status: "in_progress" };
    const server = await serve({
      body: events(
        { type: "response.created", response: { id: "resp_1", object: "response", status: "in_progress" } },
        { type: "response.output_item.added", item: first },
        { type: "response.output_text.delta", item_id: "msg_1", delta: "Look." },
        { type: "response.output_item.added", item: { ...item, arguments: "", status: "in_progress" } },
        { type: "response.function_call_arguments.delta", item_id: "fc_1", delta: '{"path":"a"}' },
        { type: "response.output_item.done", item: { ...first, status: "completed" } },
        {
          type: "response.output_item.done",
          item: { ...item, arguments: '{"path":"a"}', status: "completed" },
        },
        {
          type: "response.completed",
          response: { id: "resp_1", usage: { input_tokens: 3, output_tokens: 2 } },
        },
      ),
    });
    const { finish, retries } = await turnOf(await openAt(openai, server.url));
    expect(retries).toEqual([]);
    expect(finish.message.content).toMatchObject([
      { type: "text", text: "Look." },
      { type: "tool_call", id: "fc_1", name: "read", input: { path: "a" } },
    ]);
  });

  test("a failure is told in the server's words", async () => {
    const failed = {
      type: "response.failed",
      response: { error: { code: "server_error", message: "out of memory" } },
    };
    const server = await serve(...Array(5).fill({ body: events(failed) }));
    expect((await errorOf(turnOf(await openAt(openai, server.url)))).message).toContain("out of memory");
  });
});

test("a server that speaks another API is told in our words, after two attempts", async () => {
  const server = await serve(...Array(5).fill({ body: compatible.turn({ text: ["ok"] }) }));
  const { message } = await errorOf(turnOf(await openAt(openai, server.url), request()));
  expect(message).toBe(
    "model: the answer from openai could not be read: it speaks Chat Completions, not Responses; " +
      "add it to `endpoints` in the settings (tried 2 times) (BROKEN_STREAM)",
  );
  expect(server.asked).toHaveLength(2);
});
