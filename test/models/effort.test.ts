/** How hard a model should think, in the words of each provider. */

import { expect, test } from "bun:test";
import { openModel } from "../../src/models/open-model.ts";
import { anthropic } from "./formats/anthropic.ts";
import { compatible } from "./formats/compatible.ts";
import { google } from "./formats/google.ts";
import { openai } from "./formats/openai.ts";
import { hello, request, turnOf } from "./turn-of.ts";
import { serve } from "./wire-server.ts";

const adaptive = { type: "adaptive", display: "summarized" };

test.each([
  ["anthropic/claude-sonnet-5-5", anthropic, { thinking: adaptive, output_config: { effort: "low" } }],
  ["anthropic/claude-haiku-4-5", anthropic, { thinking: { type: "enabled", budget_tokens: 4_000 } }],
  ["openai/gpt-6.1-sol", openai, { reasoning: { effort: "low", summary: "auto" } }],
  ["openai/gpt-4o", openai, {}],
  ["google/gemini-3.8-flash", google, { thinkingConfig: { includeThoughts: true, thinkingLevel: "low" } }],
  ["google/gemini-2.5-pro", google, { thinkingConfig: { includeThoughts: true, thinkingBudget: 4_000 } }],
  ["ollama/any", compatible, { reasoning_effort: "low" }],
  ["openrouter/some/model", compatible, { reasoning: { effort: "low" } }],
] as const)("%s is told to think little", async (name, format, expected) => {
  const reply = { body: format.turn({ text: ["ok"] }) };
  const server = await serve(reply, reply);
  const env = {
    ...format.optionsFor(server.url).env,
    OLLAMA_HOST: server.url,
    OPENROUTER_API_KEY: "k",
    OPENROUTER_BASE_URL: server.url,
  };
  const model = await openModel(name, { env, cwd: "/" });
  await turnOf(model, request([hello], { effort: "low" }));
  const { body = {} } =
    server.asked.findLast(({ body: sent }) => JSON.stringify(sent).includes("Hello")) ?? {};
  const { generationConfig = {} } = body as { generationConfig?: Record<string, unknown> };
  const { thinking, output_config, reasoning, reasoning_effort } = body;
  const { thinkingConfig } = generationConfig;
  const sent = { thinking, output_config, reasoning, reasoning_effort, thinkingConfig };
  expect(sent).toEqual({
    thinking: undefined,
    output_config: undefined,
    reasoning: undefined,
    reasoning_effort: undefined,
    thinkingConfig: undefined,
    ...expected,
  });
});
