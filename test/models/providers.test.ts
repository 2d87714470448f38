/** What is specific to one provider: caching, reasoning, storage, special keys, local servers. */

import { describe, expect, test } from "bun:test";
import { openModel } from "../../src/models/open-model.ts";
import type { Message, ToolDescription } from "../../src/protocol/model.ts";
import { anthropic } from "./formats/anthropic.ts";
import { compatible } from "./formats/compatible.ts";
import { events, key } from "./formats/format.ts";
import { google } from "./formats/google.ts";
import { openai } from "./formats/openai.ts";
import { errorOf, hello, openAt, quickRetry, request, turnOf } from "./turn-of.ts";
import { serve } from "./wire-server.ts";

const tools: ToolDescription[] = ["read", "ls"].map((name) => ({
  name,
  description: `${name}!`,
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
}));
const ephemeral = { type: "ephemeral" };

describe.each([anthropic, openai])("$name", (format) => {
  test("gets the calls of another provider's model with ids that it accepts", async () => {
    const server = await serve({ body: format.turn({ text: ["ok"] }) });
    const id = "functions.ls:0";
    const history: Message[] = [
      hello,
      { role: "assistant", content: [{ type: "tool_call", id, name: "ls", input: {} }] },
      { role: "tool", callId: id, name: "ls", output: "x", isError: false },
    ];
    await turnOf(await openAt(format, server.url), request(history));
    const sent = JSON.stringify(format.conversationOf(server.asked[0]?.body ?? {}));
    expect([sent.split('"functions_ls_0"').length, sent.includes(id)]).toEqual([3, false]);
  });
});

describe("anthropic", () => {
  test("marks tools, system and the ends of the last two messages for the cache", async () => {
    const server = await serve({ body: anthropic.turn({ text: ["ok"] }) });
    const said = { role: "assistant" as const, content: [{ type: "text" as const, text: "Hi" }] };
    const model = await openAt(anthropic, server.url);
    await turnOf(model, request([hello, said, hello, said, hello], { tools }));
    const { system, tools: sent, messages } = server.asked[0]?.body ?? {};
    expect(system).toEqual([{ type: "text", text: "Be brief.", cache_control: ephemeral }]);
    expect((sent as { cache_control?: unknown }[]).map(({ cache_control }) => cache_control)).toEqual([
      undefined,
      ephemeral,
    ]);
    expect(
      (messages as { content: { cache_control?: unknown }[] }[]).map(
        ({ content }) => content[0]?.cache_control,
      ),
    ).toEqual([undefined, undefined, ephemeral, undefined, ephemeral]);
  });

  test("asks only models with adaptive reasoning to show a summary", async () => {
    const reply = { body: anthropic.turn({ text: ["ok"] }) };
    const server = await serve(reply, reply);
    const { env } = anthropic.optionsFor(server.url);
    for (const id of ["claude-sonnet-5-5", "claude-haiku-4-5-20251001"]) {
      await turnOf(await openModel(`anthropic/${id}`, { env, cwd: "/" }));
    }
    expect(server.asked.map(({ body }) => [body["model"], body["thinking"], body["max_tokens"]])).toEqual([
      ["claude-sonnet-5-5", { type: "adaptive", display: "summarized" }, 32_000],
      ["claude-haiku-4-5-20251001", undefined, 32_000],
    ]);
  });

  test("reasoning without text keeps its signature", async () => {
    const server = await serve({ body: anthropic.turn({ reasoning: [""], text: ["ok"] }) });
    const { finish } = await turnOf(await openAt(anthropic, server.url));
    expect(finish.message.content).toEqual([
      {
        type: "reasoning",
        text: "",
        providerData: { model: anthropic.model, anthropic: { signature: "c2lnbmVk" } },
      },
      { type: "text", text: "ok" },
    ]);
  });

  test("events of an unknown type are ignored; those of a known type must be complete", async () => {
    const [first = "", ...rest] = anthropic.turn({ text: ["ok"] });
    const event = (type: string) => `event: ${type}\ndata: ${JSON.stringify({ type, of: "tomorrow" })}\n\n`;
    const server = await serve(
      { body: [first, event("content_block_delta"), ...rest] },
      { body: [first, event("shiny"), ...rest] },
    );
    const { text, retries } = await turnOf(await openAt(anthropic, server.url));
    expect([text, retries.length]).toEqual(["ok", 1]);
  });

  test("ANTHROPIC_AUTH_TOKEN is sent as a bearer token", async () => {
    const server = await serve({ body: anthropic.turn({ text: ["ok"] }) });
    const env = { ANTHROPIC_AUTH_TOKEN: key, ANTHROPIC_BASE_URL: server.url };
    await turnOf(await openModel(anthropic.model, { env, cwd: "/" }));
    const headers = server.asked[0]?.headers;
    expect([headers?.get("authorization"), headers?.get("x-api-key")]).toEqual([`Bearer ${key}`, null]);
  });
});

describe("openai", () => {
  test("stores nothing there, asks for encrypted reasoning, and names its cache", async () => {
    const server = await serve({ body: openai.turn({ text: ["ok"] }) });
    await turnOf(await openAt(openai, server.url, { cacheKey: "session-1" }), request([hello], { tools }));
    const { store, include, reasoning, prompt_cache_key, tools: sent } = server.asked[0]?.body ?? {};
    expect({ store, include, reasoning, prompt_cache_key }).toEqual({
      store: false,
      include: ["reasoning.encrypted_content"],
      reasoning: { summary: "auto" },
      prompt_cache_key: "session-1",
    });
    expect((sent as { strict: unknown }[]).map(({ strict }) => strict)).toEqual([false, false]);
  });

  test("without credit there is no retry", async () => {
    const body = [
      '{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}',
    ];
    const server = await serve({ status: 429, headers: { "content-type": "application/json" }, body });
    const error = await errorOf(turnOf(await openAt(openai, server.url)));
    expect(error.message).toBe(
      "model: the openai key has no credit left: You exceeded your current quota (RATE_LIMITED)",
    );
    expect(server.asked).toHaveLength(1);
  });
});

describe("google", () => {
  test("asks for reasoning, and waits as long as the body says", async () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "3.5s" }];
    const busy = { error: { code: 429, message: "Quota exceeded", status: "RESOURCE_EXHAUSTED", details } };
    const server = await serve(
      { status: 429, headers: { "content-type": "application/json" }, body: [JSON.stringify(busy)] },
      { body: google.turn({ text: ["ok"] }) },
    );
    const { waits, retry } = quickRetry();
    await turnOf(await openAt(google, server.url, { retry }));
    expect(waits).toEqual([3_500]);
    expect(server.asked[0]?.body["generationConfig"]).toEqual({
      maxOutputTokens: 65_536,
      thinkingConfig: { includeThoughts: true },
    });
  });

  test("a turn that ends without an answer and without a clear reason is repeated", async () => {
    const thought = { content: { role: "model", parts: [{ text: "Hm.", thought: true }] }, index: 0 };
    const ended = { finishReason: "UNEXPECTED_TOOL_CALL", index: 0 };
    const server = await serve(
      { body: events({ candidates: [thought] }, { candidates: [ended] }) },
      { body: google.turn({ text: ["ok"] }) },
    );
    const { text, retries } = await turnOf(await openAt(google, server.url));
    expect([text, retries.map(({ reason }) => reason)]).toEqual([
      "ok",
      ["the answer from google was cut off: it ended with UNEXPECTED_TOOL_CALL and no answer"],
    ]);
  });

  test("a rate limit is waited for, even though it mentions billing", async () => {
    const message = "You exceeded your current quota, please check your plan and billing details.";
    const busy = { error: { code: 429, message, status: "RESOURCE_EXHAUSTED" } };
    const server = await serve(
      { status: 429, headers: { "content-type": "application/json" }, body: [JSON.stringify(busy)] },
      { body: google.turn({ text: ["ok"] }) },
    );
    const { text, retries } = await turnOf(await openAt(google, server.url));
    expect([text, retries.map(({ reason }) => reason)]).toEqual([
      "ok",
      [`google is limiting requests: ${message}`],
    ]);
  });
});

describe("OpenAI-compatible", () => {
  test("a custom endpoint gets its own headers and no cache marks", async () => {
    const server = await serve({ body: compatible.turn({ text: ["ok"] }) });
    await turnOf(await openAt(compatible, server.url));
    const { headers, body } = server.asked[0] ?? {};
    expect(headers?.get("x-team")).toBe("tools");
    expect(body).toEqual({
      model: "test-model",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hello" },
      ],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test("OpenRouter is asked to cache for Anthropic's models, and its reported cost is used", async () => {
    const turn = compatible
      .turn({ text: ["ok"] })
      .map((each) => each.replace('"total_tokens":120', '"cost":0.0125'));
    const server = await serve({ body: turn });
    const env = { OPENROUTER_API_KEY: key, OPENROUTER_BASE_URL: `${server.url}/api/v1` };
    const { finish } = await turnOf(
      await openModel("openrouter/anthropic/claude-sonnet-5.5", { env, cwd: "/" }),
    );
    expect(finish.usage.costUsd).toBe(0.0125);
    expect(server.asked[0]?.path).toBe("/api/v1/chat/completions");
    expect([server.asked[0]?.body["model"], server.asked[0]?.body["cache_control"]]).toEqual([
      "anthropic/claude-sonnet-5.5",
      ephemeral,
    ]);
  });

  test("a local server needs no key, and images are left out if it accepts none", async () => {
    const server = await serve({ body: compatible.turn({ text: ["ok"] }) });
    const model = await openModel("ollama/qwen3", {
      env: { OLLAMA_HOST: server.url.slice("http://".length) },
      cwd: "/",
    });
    await turnOf(
      model,
      request([
        {
          role: "user",
          origin: { kind: "typed" },
          content: [{ type: "image", mediaType: "image/png", base64: "" }],
        },
      ]),
    );
    expect(server.asked[0]?.headers.get("authorization")).toBeNull();
    expect(compatible.conversationOf(server.asked[0]?.body ?? {})).toEqual([
      {
        role: "user",
        content: "[an image not shown: this model takes text only]",
      },
    ]);
  });

  test("an error that is only a string, as from Ollama", async () => {
    const body = [`{"error":"model 'qwen3' not found"}`];
    const server = await serve({ status: 404, headers: { "content-type": "application/json" }, body });
    const error = await errorOf(
      turnOf(await openModel("ollama/qwen3", { env: { OLLAMA_HOST: server.url }, cwd: "/" })),
    );
    expect(error.message).toBe(
      `model: ollama has no model 'qwen3' at ${server.url}/v1: model 'qwen3' not found (UNKNOWN_MODEL)`,
    );
  });

  test("a turn that ends with an error, or with an empty call, is repeated", async () => {
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      id: "1",
      choices: [{ index: 0, delta, finish_reason }],
    });
    const nameless = { index: 0, id: "a", function: { name: "", arguments: "{}" } };
    const server = await serve(
      { body: events(chunk({ content: "Half" }), chunk({}, "error")) },
      { body: events(chunk({ tool_calls: [nameless] }), chunk({}, "tool_calls")) },
      { body: compatible.turn({ text: ["ok"] }) },
    );
    const { text, retries } = await turnOf(await openAt(compatible, server.url));
    expect([text, retries.map(({ reason }) => reason)]).toEqual([
      "ok",
      [
        "the answer from mine was cut off: it ended with error",
        "the answer from mine was cut off: it ended with tool_calls and no answer",
      ],
    ]);
  });

  test("a turn that ends with an unknown reason may be empty", async () => {
    const ended = { id: "1", choices: [{ index: 0, delta: { content: "" }, finish_reason: "eos_token" }] };
    const server = await serve({ body: events(ended) });
    const { finish, retries } = await turnOf(await openAt(compatible, server.url));
    expect([finish.reason, finish.message.content, retries]).toEqual(["other", [], []]);
  });

  test("an error in the stream that is only a string", async () => {
    const server = await serve(
      { body: events({ error: "the model runner has crashed" }) },
      { body: compatible.turn({ text: ["ok"] }) },
    );
    const { retries } = await turnOf(await openAt(compatible, server.url));
    expect(retries.map(({ reason }) => reason)).toEqual([
      "the answer from mine was cut off: the model runner has crashed",
    ]);
  });

  test("calls without ids, or with duplicate ids, get new ones", async () => {
    const calls = ["same", "same"].map((id) => ({ id, name: "ls", pieces: ["{}"] }));
    const server = await serve({ body: compatible.turn({ calls }) });
    const { finish } = await turnOf(await openAt(compatible, server.url));
    const ids = finish.message.content.map((part) => (part.type === "tool_call" ? part.id : ""));
    expect(ids).toEqual(["same", expect.stringMatching(/^[\w-]{8,}$/)]);
  });

  test("arguments that are not JSON stay as they are", async () => {
    const server = await serve({
      body: compatible.turn({ calls: [{ id: "c", name: "ls", pieces: ['{"pa'] }] }),
    });
    const { finish } = await turnOf(await openAt(compatible, server.url));
    expect(finish.message.content).toEqual([{ type: "tool_call", id: "c", name: "ls", input: '{"pa' }]);
  });
});
