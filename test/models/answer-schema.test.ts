/** A schema for the answer: local servers hold the model to it, others read it in the request's words only. */

import { expect, test } from "bun:test";
import { openModel } from "../../src/models/open-model.ts";
import { compatible } from "./formats/compatible.ts";
import { hello, request, turnOf } from "./turn-of.ts";
import { type Reply, serve } from "./wire-server.ts";

const schema = { type: "object", properties: { n: { type: "integer" } } };
const answer: Reply = { body: compatible.turn({ text: ["{}"] }) };

async function formats(replies: readonly Reply[], isLocal: boolean) {
  const server = await serve(...replies);
  const endpoints = [
    { name: "far", baseUrl: `${server.url}/v1`, models: [{ id: "m", contextTokens: 1_000 }] },
  ];
  const options = { cwd: "/", env: { OLLAMA_HOST: server.url }, endpoints, retry: { baseDelayMs: 1 } };
  const model = await openModel(isLocal ? "ollama/m" : "far/m", options);
  const { text } = await turnOf(model, { ...request([hello]), answerSchema: schema });
  const bodies = server.asked.flatMap(({ body }) => (body["messages"] === undefined ? [] : [body]));
  return { text, sent: bodies.map((body) => body["response_format"]) };
}

test("a local server is told, and another one is not", async () => {
  const { text, sent } = await formats([answer], true);
  expect([text, sent]).toEqual([
    "{}",
    [{ type: "json_schema", json_schema: { schema, strict: true, name: "response" } }],
  ]);
  expect((await formats([answer], false)).sent).toEqual([undefined]);
});

test("a schema that the server refuses is not sent again", async () => {
  const refusal: Reply = {
    status: 400,
    headers: { "content-type": "application/json" },
    body: [JSON.stringify({ error: { message: "cannot make a grammar", code: 400 } })],
  };
  const { text, sent } = await formats([refusal, answer], true);
  expect([text, sent]).toEqual(["{}", [expect.anything(), undefined]]);
});
