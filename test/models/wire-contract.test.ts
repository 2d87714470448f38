/** The contract of all four wire formats, with servers that answer as the providers do. */

import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import type { Message, ToolDescription } from "../../src/protocol/model.ts";
import { anthropic } from "./formats/anthropic.ts";
import { compatible } from "./formats/compatible.ts";
import { image, key } from "./formats/format.ts";
import { google } from "./formats/google.ts";
import { openai } from "./formats/openai.ts";
import { errorOf, hello, openAt, quickRetry, request, turnOf } from "./turn-of.ts";
import { byteByByte, deadUrl, serve } from "./wire-server.ts";

const tools: ToolDescription[] = [
  {
    name: "read",
    description: "Reads a file.",
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
  },
  { name: "ls", description: "Lists files.", inputSchema: { type: "object", properties: {} } },
];

const history: Message[] = [
  {
    role: "user",
    origin: { kind: "typed" },
    content: [
      { type: "text", text: "What is this?" },
      { type: "image", mediaType: "image/png", base64: image },
    ],
  },
  {
    role: "assistant",
    content: [
      // Of another model: not to be sent to this one.
      {
        type: "reasoning",
        text: "secret",
        providerData: { model: "other/one", anthropic: { signature: "x" } },
      },
      { type: "text", text: "Let me see." },
      { type: "tool_call", id: "call_a", name: "python", input: { code: "plot()" } },
      { type: "tool_call", id: "call_b", name: "bash", input: "not json" },
    ],
  },
  {
    role: "tool",
    callId: "call_a",
    name: "python",
    output: "plotted",
    isError: false,
    images: [{ mediaType: "image/png", base64: image }],
  },
  { role: "tool", callId: "call_b", name: "bash", output: "command: must be a string", isError: true },
  { role: "user", origin: { kind: "typed" }, content: [{ type: "text", text: "Go on." }] },
];

const threeCalls = [
  { id: "call_1", name: "read", input: { path: "a \u{1F980}.txt" } },
  { id: "call_2", name: "read", input: { path: 'b "quoted".txt', lines: [1, 2] } },
  { id: "call_3", name: "ls", input: {} },
];

/** Arguments in pieces of one character. */
function streamed(calls: typeof threeCalls) {
  return calls.map(({ id, name, input }) => ({ id, name, pieces: [...JSON.stringify(input)] }));
}

describe.each([anthropic, openai, google, compatible])("$name", (format) => {
  const answer = format.turn({ text: ["Hel", "lo ", "wörld"] });

  test("text is streamed, counted and paid", async () => {
    const server = await serve({ body: answer });
    const { events, finish } = await turnOf(await openAt(format, server.url));
    expect(events.slice(0, -1)).toEqual([
      { type: "text_delta", text: "Hel" },
      { type: "text_delta", text: "lo " },
      { type: "text_delta", text: "wörld" },
    ]);
    const { costUsd, ...counts } = finish.usage;
    expect(finish.reason).toBe("stop");
    expect(finish.message.role).toBe("assistant");
    expect(finish.message.content).toMatchObject([{ type: "text", text: "Hello wörld" }]);
    expect({ ...counts }).toEqual({ ...format.usage } as typeof counts);
    expect(costUsd).toBe(format.costUsd as number);
    expect(server.asked.map(({ path, headers }) => [path, format.keyIn(headers)])).toEqual([
      [format.path, key],
    ]);
  });

  test("chunks may break anywhere, even inside a character", async () => {
    const server = await serve({ body: byteByByte(answer) });
    expect((await turnOf(await openAt(format, server.url))).text).toBe("Hello wörld");
  });

  test("one tool call", async () => {
    const call = threeCalls.slice(0, 1);
    const server = await serve({ body: format.turn({ text: ["Look."], calls: streamed(call) }) });
    const { finish } = await turnOf(await openAt(format, server.url));
    expect(finish.reason).toBe("tool_calls");
    expect(finish.message.content).toMatchObject([
      { type: "text", text: "Look." },
      { type: "tool_call", ...call[0] },
    ]);
  });

  test("three tool calls at once, their arguments split at every character and every byte", async () => {
    const server = await serve({ body: byteByByte(format.turn({ calls: streamed(threeCalls) })) });
    const { finish } = await turnOf(await openAt(format, server.url));
    expect(finish.reason).toBe("tool_calls");
    expect(
      finish.message.content.map((part) => (part.type === "tool_call" ? { ...part, providerData: 0 } : part)),
    ).toEqual(threeCalls.map((call) => ({ type: "tool_call" as const, ...call, providerData: 0 })));
  });

  test("reasoning is streamed, and sent back unchanged with the next request", async () => {
    const calls = [{ id: "call_1", name: "read", pieces: ['{"path":', '"a.txt"}'] }];
    const first = format.turn({ reasoning: ["Hmm,", " well."], text: ["Look."], calls });
    const server = await serve({ body: first }, { body: answer });
    const model = await openAt(format, server.url);
    const { reasoning, finish } = await turnOf(model);
    expect(reasoning).toBe("Hmm, well.");
    expect(finish.message.content.map(({ type }) => type)).toEqual(["reasoning", "text", "tool_call"]);
    // As the session log keeps it.
    const message: Message = JSON.parse(JSON.stringify(finish.message));
    const result: Message = { role: "tool", callId: "call_1", name: "read", output: "x", isError: false };
    await turnOf(model, request([hello, message, result]));
    const sent = format.conversationOf(server.asked[1]?.body ?? {}) as { content?: unknown }[];
    const mine = format === anthropic ? sent[1]?.content : sent.slice(1, -1);
    expect(mine).toEqual(format.sentBack);
  });

  test("system, tools, images and results are sent in the provider's own format", async () => {
    const server = await serve({ body: answer });
    await turnOf(await openAt(format, server.url), request(history, { tools }));
    const body = server.asked[0]?.body ?? {};
    expect(JSON.stringify(format.systemOf(body))).toContain("Be brief.");
    expect(JSON.stringify(format.toolsOf(body))).toContain('"name":"read"');
    expect(format.conversationOf(body)).toEqual(format.conversation);
    expect(JSON.stringify(body)).not.toContain("secret");
  });

  test("half a character in a call is not sent back", async () => {
    const server = await serve({ body: answer });
    const input = { path: "a \ud83d b", edits: [{ "\udc00": "\ud800" }] };
    const asked: Message[] = [
      hello,
      { role: "assistant", content: [{ type: "tool_call", id: "call_1", name: "read", input }] },
      { role: "tool", callId: "call_1", name: "read", output: "\ud83d", isError: false },
    ];
    await turnOf(await openAt(format, server.url), request(asked));
    const sent = JSON.stringify(format.conversationOf(server.asked[0]?.body ?? {}));
    expect(sent).toContain("a \ufffd b");
    expect(sent).not.toMatch(/\\u[dD][89a-fA-F]/);
  });

  test("an error in the middle: what arrived is discarded, and the turn is repeated", async () => {
    const whole = format.turn({ text: ["Lost ", "words"] });
    const start = whole.slice(0, whole.findIndex((each) => each.includes("Lost ")) + 1);
    const server = await serve({ body: [...start, format.streamError] }, { body: answer });
    const { events, text, retries } = await turnOf(await openAt(format, server.url));
    expect(text).toBe("Hello wörld");
    expect(events[0]).toEqual({ type: "text_delta", text: "Lost " });
    expect(retries).toHaveLength(1);
    expect(retries[0]).toMatchObject({ attempt: 1, delayMs: 1_000 });
    expect(retries[0]?.reason).toMatch(/failed while answering: |failed with status 5\d\d: /);
  });

  test("a connection that is cut: the same", async () => {
    const start = format.turn({ text: ["Lost "], calls: streamed(threeCalls) }).slice(0, -4);
    const server = await serve({ body: start, ending: "cut" }, { body: answer });
    const { text, retries, finish } = await turnOf(await openAt(format, server.url));
    expect([text, retries.length, finish.reason]).toEqual(["Hello wörld", 1, "stop"]);
    expect(retries[0]?.reason).toMatch(/^connection to (?:Anthropic|OpenAI|Google|mine) lost$/);
  });

  test("a compressed stream that is cut: the same", async () => {
    const headers = { "content-encoding": "gzip" };
    const whole = gzipSync(answer.join(""));
    const server = await serve({ headers, body: [whole.subarray(0, -40)] }, { headers, body: [whole] });
    const { text, retries } = await turnOf(await openAt(format, server.url));
    expect([text, retries.length]).toEqual(["Hello wörld", 1]);
    expect(retries[0]?.reason).toMatch(/^connection to .* lost$/);
  });

  test("a stream that ends regularly but too early: the same", async () => {
    const start = format.turn({ text: ["Lost "] }).slice(0, format === compatible ? -3 : -1);
    const server = await serve({ body: start }, { body: answer });
    const { text, retries } = await turnOf(await openAt(format, server.url));
    expect([text, retries.length]).toEqual(["Hello wörld", 1]);
    expect(retries[0]?.reason).toContain("was cut off");
  });

  test("malformed JSON in the stream: the same, and a second time is enough", async () => {
    const garbled = { body: [...answer.slice(0, 2), 'data: {"type": "content_bl\n\n'] };
    const server = await serve(garbled, { body: answer }, garbled, garbled);
    const model = await openAt(format, server.url);
    const { text, retries } = await turnOf(model);
    expect([text, retries.length]).toEqual(["Hello wörld", 1]);
    const said = 'could not be read: it sent something that is not JSON: {"type": "content_bl';
    expect(retries[0]?.reason).toEndWith(said);
    expect((await errorOf(turnOf(model))).message).toEndWith(`${said} (tried 2 times) (BROKEN_STREAM)`);
    expect(server.asked).toHaveLength(4);
  });

  test("an error with a success status is still an error", async () => {
    const headers = { "content-type": "application/json; charset=utf-8" };
    const server = await serve({ headers, body: [format.errorBody(429, "busy")] }, { body: answer });
    const { text, retries } = await turnOf(await openAt(format, server.url));
    expect([text, retries.length]).toEqual(["Hello wörld", 1]);
    expect(retries[0]?.reason).toContain("is limiting requests: ");
    const other = await serve({ headers, body: ['{"detail":"try it elsewhere"}'] }, { body: answer });
    expect((await turnOf(await openAt(format, other.url))).retries[0]?.reason).toContain(
      'could not be read: not a stream: {"detail":"try it elsewhere"}',
    );
  });

  test("a web page is not an answer, and the request is not repeated", async () => {
    const headers = { "content-type": "text/html" };
    const server = await serve({ headers, body: ["<!doctype html><title>Sign in</title>"] });
    const { message } = await errorOf(turnOf(await openAt(format, server.url)));
    expect(message).toEndWith(": the address answers with a web page (UNKNOWN_MODEL)");
    expect(server.asked).toHaveLength(1);
  });

  test("a stream that is labelled JSON is still read as a stream", async () => {
    const headers = { "content-type": "application/json" };
    const start = answer.slice(0, answer.findIndex((each) => each.includes("Hel")) + 1);
    const server = await serve({ headers, body: start, ending: "silence" });
    const model = await openAt(format, server.url);
    for await (const event of model.stream(request())) {
      expect(event).toEqual({ type: "text_delta", text: "Hel" });
      break;
    }
  });

  test("429 with retry-after: waits that long", async () => {
    const busy = { status: 429, body: [format.errorBody(429, "busy")] };
    const server = await serve(
      { ...busy, headers: { "content-type": "application/json", "retry-after": "7" } },
      { ...busy, headers: { "content-type": "application/json", "retry-after-ms": "1500" } },
      { body: answer },
    );
    const { waits, retry } = quickRetry();
    const { text, retries } = await turnOf(await openAt(format, server.url, { retry }));
    expect([text, waits]).toEqual(["Hello wörld", [7_000, 1_500]]);
    expect(retries.map(({ attempt, delayMs }) => [attempt, delayMs])).toEqual([
      [1, 7_000],
      [2, 1_500],
    ]);
    expect(retries[0]?.reason).toContain("is limiting requests");
  });

  test("503 and 529: waits longer each time, and gives up in the end", async () => {
    const down = { headers: { "content-type": "application/json" }, body: ['{"error":{"message":"down"}}'] };
    const server = await serve(...[503, 529, 500, 502, 504].map((status) => ({ ...down, status })));
    const { waits, retry } = quickRetry();
    const error = await errorOf(turnOf(await openAt(format, server.url, { retry })));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect([error.kind, error.status, error.code]).toEqual(["overloaded", 504, "OVERLOADED"]);
    expect(error.message).toContain("failed with status 504");
    expect(error.message).toContain("(tried 5 times)");
    expect(server.asked).toHaveLength(5);
  });

  test("a wrong key: names the variable, not the key", async () => {
    const status = format === google ? 400 : 401;
    const server = await serve({
      status,
      headers: { "content-type": "application/json" },
      body: [format.errorBody(status, "auth")],
    });
    const error = await errorOf(turnOf(await openAt(format, server.url)));
    expect(error.kind).toBe("auth");
    expect(error.message).toContain(`refused the key with status ${status}; check ${format.keyVariable}`);
    expect(`${error.message}${Bun.inspect(error)}`).not.toContain("sk-test");
    expect(server.asked).toHaveLength(1);
  });

  test("a redirect to another host gets no key, one within the host is followed", async () => {
    const other = await serve({ body: answer });
    const away = { status: 307, headers: { location: `${other.url}/v1/x` }, body: [] };
    const error = await errorOf(turnOf(await openAt(format, (await serve(away)).url)));
    expect(error.message).toMatch(
      /redirects to http:\S+, where keys are not sent; set the base URL .* \(UNREACHABLE\)$/,
    );
    expect(other.asked).toEqual([]);
    const moved = { status: 308, headers: { location: "/elsewhere" }, body: [] };
    const server = await serve(moved, { body: answer });
    await turnOf(await openAt(format, server.url));
    expect(server.asked.map(({ path }) => path).at(-1)).toBe("/elsewhere");
  });

  test("an unknown model: names it and the address", async () => {
    const server = await serve({
      status: 404,
      headers: { "content-type": "application/json" },
      body: [format.errorBody(404, "unknown")],
    });
    const error = await errorOf(turnOf(await openAt(format, server.url)));
    const [provider, id] = format.model.split("/");
    expect(error.kind).toBe("unknown-model");
    expect(error.message).toStartWith(`model: ${provider} has no model '${id}' at ${server.url}/v1`);
    expect(error.message).not.toContain("\n");
    expect(server.asked).toHaveLength(1);
  });

  test("nothing listens: one line with the address, at once", async () => {
    const url = deadUrl();
    const { waits, retry } = quickRetry();
    const error = await errorOf(turnOf(await openAt(format, url, { retry })));
    const [provider] = format.model.split("/");
    expect(error.message).toStartWith(`model: cannot reach ${provider} at ${url}/v1`);
    expect(error.message).toEndWith(": connection refused (UNREACHABLE)");
    expect([error.kind, waits]).toEqual(["unreachable", []]);
  });

  test("a conversation that is too long is distinguished from other bad requests", async () => {
    const reply = (problem: "overflow" | "bad") => ({
      status: 400,
      headers: { "content-type": "application/json" },
      body: [format.errorBody(400, problem)],
    });
    const server = await serve(reply("overflow"), reply("bad"));
    const model = await openAt(format, server.url);
    const overflow = await errorOf(turnOf(model));
    expect(overflow.kind).toBe("context-overflow");
    expect(overflow.message).toStartWith(`model: the conversation is too long for ${format.model}: `);
    const bad = await errorOf(turnOf(model));
    expect([bad.kind, bad.status]).toEqual(["bad-request", 400]);
    expect(server.asked).toHaveLength(2);
  });

  test("a slow first byte is waited for", async () => {
    const { promise: after, resolve: release } = Promise.withResolvers<void>();
    const server = await serve({ body: answer, after });
    const arrived = server.nextRequest();
    const turn = turnOf(await openAt(format, server.url));
    await arrived;
    release();
    const { text, retries } = await turn;
    expect([text, retries]).toEqual(["Hello wörld", []]);
  });

  test("silence for too long is a broken stream", async () => {
    const server = await serve({ body: answer.slice(0, 1), ending: "silence" });
    const model = await openAt(format, server.url, { idleTimeoutMs: 50, retry: { attempts: 1 } });
    const error = await errorOf(turnOf(model));
    expect(error.kind).toBe("broken-stream");
    expect(error.message).toContain("was cut off: no data for 0.05 seconds");
  });

  test("an abort ends it at once, with the abort's own reason", async () => {
    const server = await serve({ body: answer.slice(0, -2), ending: "silence" });
    const abort = new AbortController();
    const model = await openAt(format, server.url);
    const seen: string[] = [];
    const run = async () => {
      for await (const event of model.stream(request([hello], { signal: abort.signal }))) {
        seen.push(event.type);
        abort.abort(new Error("enough"));
      }
    };
    await expect(run()).rejects.toThrow("enough");
    expect(seen).toEqual(["text_delta"]);
  });

  test("an abort while it waits for the provider or for the next attempt", async () => {
    const held = await serve({ body: answer, after: new Promise(() => undefined) });
    const arrived = held.nextRequest();
    const first = new AbortController();
    const turn = turnOf(await openAt(format, held.url), request([hello], { signal: first.signal }));
    await arrived;
    first.abort(new Error("enough"));
    await expect(turn).rejects.toThrow("enough");

    const busy = await serve({
      status: 429,
      body: [format.errorBody(429, "busy")],
      headers: { "retry-after": "30" },
    });
    const second = new AbortController();
    const model = await openAt(format, busy.url, { retry: {} });
    const waiting = async () => {
      for await (const event of model.stream(request([hello], { signal: second.signal }))) {
        if (event.type === "retry") second.abort(new Error("enough"));
      }
    };
    await expect(waiting()).rejects.toThrow("enough");
  });
});
