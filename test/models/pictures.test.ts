/** Pictures for models that cannot see: a refusal costs one request, and never the session. */

import { describe, expect, test } from "bun:test";
import type { Message } from "../../src/protocol/model.ts";
import { compatible } from "./formats/compatible.ts";
import { image } from "./formats/format.ts";
import { errorOf, hello, openAt, request, turnOf } from "./turn-of.ts";
import { type Reply, serve } from "./wire-server.ts";

const picture: Message = {
  role: "user",
  origin: { kind: "typed" },
  content: [
    { type: "text", text: "What is this?" },
    { type: "image", mediaType: "image/png", base64: image },
  ],
};
const shown: Message[] = [
  hello,
  { role: "assistant", content: [{ type: "tool_call", id: "a", name: "read", input: {} }] },
  {
    role: "tool",
    callId: "a",
    name: "read",
    output: "a plot",
    isError: false,
    images: [{ mediaType: "image/png", base64: image }],
  },
];
const answer: Reply = { body: compatible.turn({ text: ["ok"] }) };
const refusal = (status: number, message: string): Reply => ({
  status,
  headers: { "content-type": "application/json" },
  body: [JSON.stringify({ error: { message, type: "server_error", code: status } })],
});
const seenBy = (body: Record<string, unknown> | undefined) =>
  JSON.stringify(compatible.conversationOf(body ?? { messages: [] }));

test("a refusal: the turn is sent again without images, with a note, and the model gets no more of them", async () => {
  const server = await serve(
    refusal(500, "image input is not supported - hint: provide the mmproj"),
    answer,
    answer,
  );
  const model = await openAt(compatible, server.url);
  expect(model.facts.acceptsImages).toBe(true);
  const { text, retries } = await turnOf(model, request([picture]));
  expect([text, retries.map(({ delayMs, reason }) => [delayMs, reason])]).toEqual([
    "ok",
    [
      [
        0,
        "mine/test-model does not accept images: image input is not supported - hint: provide the mmproj; sent again without images",
      ],
    ],
  ]);
  expect(model.facts.acceptsImages).toBe(false);
  expect((await turnOf(model, request([picture, ...shown]))).retries).toEqual([]);
  expect(server.asked.map(({ body }) => seenBy(body).includes(image))).toEqual([true, false, false]);
  expect(seenBy(server.asked[1]?.body)).toContain("[an image not shown: this model takes text only]");
  expect(seenBy(server.asked[2]?.body)).toContain(
    "a plot\\n[an image not shown: this model takes text only]",
  );
});

describe("as other servers put it", () => {
  test.each([
    [404, "No endpoints found that support image input"],
    [400, "Invalid content type. image_url is only supported by certain models."],
    [500, "this model is missing data required for image input"],
    [400, "Image input is not enabled for this model"],
    [400, "qwen3 is not a multimodal model"],
    [400, "At most 0 image(s) may be provided in one prompt."],
    [400, "Model does not support images. Please use a model that does."],
    [422, "unknown variant `image_url`, expected `text`"],
  ])("%i %s", async (status, message) => {
    const server = await serve(refusal(status, message), answer);
    expect((await turnOf(await openAt(compatible, server.url), request(shown))).text).toBe("ok");
    expect(server.asked).toHaveLength(2);
  });
});

test("a refusal in words that nobody knows: without pictures it is tried, too", async () => {
  const server = await serve(refusal(400, "unexpected content part"), answer, answer);
  const model = await openAt(compatible, server.url);
  await turnOf(model, request([picture]));
  expect((await turnOf(model, request([picture]))).retries).toEqual([]);
});

test("a request that fails without pictures as well was not refused for them", async () => {
  const server = await serve(refusal(400, "bad schema"), refusal(400, "bad schema, still"), answer);
  const model = await openAt(compatible, server.url);
  expect((await errorOf(turnOf(model, request([picture])))).message).toBe(
    "model: mine refused the request with status 400: bad schema (BAD_REQUEST)",
  );
  await turnOf(model, request([picture]));
  expect(seenBy(server.asked[2]?.body)).toContain(image);
});

test("without pictures in it, a refused request is not repeated", async () => {
  const server = await serve(refusal(400, "bad schema"), answer);
  const error = await errorOf(turnOf(await openAt(compatible, server.url)));
  expect([error.kind, server.asked.length]).toEqual(["bad-request", 1]);
});
