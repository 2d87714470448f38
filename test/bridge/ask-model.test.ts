/** `omp.llm` on omp's side: the request, schemas, costs and their limit. */

import { describe, expect, test } from "bun:test";
import {
  type FinishReason,
  type Model,
  type ModelRequest,
  messageText,
  noUsage,
  type Usage,
} from "../../src/protocol/index.ts";
import { until } from "../support/until.ts";
import { result, testBridge } from "./bridge-parts.ts";

interface Asked {
  readonly system: string;
  readonly messages: readonly string[];
  readonly images: number;
  readonly maxOutputTokens: number | undefined;
}

/** Answers one text after the other, each for a dollar unless it is told otherwise. */
function modelOf(
  answers: readonly string[],
  {
    acceptsImages = true,
    costUsd = 1,
    reason = "stop",
  }: { acceptsImages?: boolean; costUsd?: number; reason?: FinishReason } = {},
) {
  const asked: Asked[] = [];
  const left = [...answers];
  const usage: Usage = { inputTokens: 10, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd };
  const model: Model = {
    facts: { name: "test/m", contextTokens: 1_000, maxOutputTokens: 100, acceptsImages, takesEffort: false },
    async *stream({ system, messages, maxOutputTokens }: ModelRequest) {
      const images = messages.flatMap((each) =>
        each.role === "user" ? each.content.filter(({ type }) => type === "image") : [],
      ).length;
      asked.push({
        system,
        messages: messages.map((each) => (each.role === "tool" ? each.output : messageText(each))),
        images,
        maxOutputTokens,
      });
      const text = left.shift() ?? "nothing left";
      yield { type: "text_delta", text };
      yield {
        type: "finish",
        reason,
        message: { role: "assistant", content: [{ type: "text", text }] },
        usage,
      };
    },
  };
  return { model, asked };
}

function asking(model: Model, limits = {}) {
  const opened: (string | undefined)[] = [];
  const events: unknown[] = [];
  const { bridge } = testBridge(async () => result(""), {
    limits,
    openModel: async (name) => {
      opened.push(name);
      return model;
    },
    onEvent: async (event) => {
      events.push(event.type === "tool_call" ? event.input : [event.result.output, event.usage?.costUsd]);
    },
  });
  let requests = 0;
  return {
    opened,
    events,
    llm: (fields: object) => bridge.answer({ id: `r${++requests}`, about: "llm", images: [], ...fields }),
  };
}

test("a prompt is one request without tools, its answer a text, and its cost is in the event", async () => {
  const { model, asked } = modelOf(["Hello."]);
  const { llm, opened, events } = asking(model);
  const image = { mediaType: "image/png", base64: "AA==" };
  expect(
    await llm({ prompt: "Hi", system: "Be brief.", model: "test/m", images: [image], maxTokens: 5 }),
  ).toEqual({ text: "Hello.", details: { model: "test/m" }, images: [] });
  expect(asked).toEqual([{ system: "Be brief.", messages: ["Hi\n"], images: 1, maxOutputTokens: 5 }]);
  expect(opened).toEqual(["test/m"]);
  expect(events).toEqual([
    { prompt: "Hi", model: "test/m", system: "Be brief.", schema: undefined, images: 1, maxTokens: 5 },
    ["Hello.", 1],
  ]);
});

test("a model that does not accept images is not sent any", async () => {
  const { llm } = asking(modelOf([], { acceptsImages: false }).model);
  const { error } = await llm({ prompt: "Hi", images: [{ mediaType: "image/png", base64: "AA==" }] });
  expect(error).toBe("omp.llm: test/m does not accept images (NO_IMAGES)");
});

describe("with a schema", () => {
  const schema = {
    type: "object",
    properties: { age: { type: "integer" } },
    required: ["age"],
    additionalProperties: false,
  };

  test.each([
    ['{"age": 3}'],
    ['```json\n{"age": 3}\n```'],
    ['Here it is:\n```\n{"age": 3}\n```\nAnything else?'],
    ['It is {"age": 3}.'],
  ])("the JSON in %j is the value", async (text) => {
    const { model, asked } = modelOf([text]);
    const answer = await asking(model).llm({ prompt: "How old?", schema, system: "Think." });
    expect(answer["value"]).toEqual({ age: 3 });
    expect(asked.map(({ system }) => system)).toEqual([
      `Think.\n\nAnswer with one JSON value that fits this JSON Schema, and with nothing else: ${JSON.stringify(schema)}`,
    ]);
  });

  test("an answer that does not fit is asked for once more, with the reason", async () => {
    const { model, asked } = modelOf(['{"age": "3"}', '{"age": 3}']);
    const { llm, events } = asking(model);
    expect((await llm({ prompt: "How old?", schema }))["value"]).toEqual({ age: 3 });
    expect(asked[1]?.messages).toEqual([
      "How old?",
      '{"age": "3"}',
      "That does not fit the schema: field 'age' must be integer. Answer again, with the JSON value alone.",
    ]);
    expect(events[1]).toEqual(['{"age": 3}', 2]);
  });

  test("two that do not fit are an error, and both are paid for", async () => {
    const { llm, events } = asking(modelOf(["three", "[]"]).model);
    const { error, details } = await llm({ prompt: "How old?", schema });
    expect(error).toMatch(/^omp\.llm: the answer does not fit the schema: it must be object \(SCHEMA\)$/);
    expect(details).toEqual({ success: false, code: "SCHEMA" });
    expect(events[1]).toEqual([error, 2]);
  });

  test("answers that their limit cuts are said to be cut, to the model and in the error", async () => {
    const { model, asked } = modelOf(['{"age": 33', '{"age": 33'], { reason: "length" });
    const { error } = await asking(model).llm({ prompt: "How old?", schema, maxTokens: 4 });
    expect(error).toBe(
      "omp.llm: the answer does not fit the schema: it was cut off at its token limit (SCHEMA)",
    );
    expect(asked[1]?.messages.at(-1)).toContain("it was cut off at its token limit");
  });

  test("one that cannot be used is an error, and no request", async () => {
    const { model, asked } = modelOf([]);
    const { error } = await asking(model).llm({ prompt: "?", schema: { $ref: "#/nowhere" } });
    expect(error).toMatch(/^omp\.llm: the schema cannot be used: .* \(SCHEMA\)$/);
    expect(asked).toEqual([]);
  });
});

test("when the money is spent, no further request is made", async () => {
  const { model, asked } = modelOf(["a", "b", "c"], { costUsd: 1.5 });
  const { llm } = asking(model, { maxCostUsd: 3 });
  const texts = [await llm({ prompt: "1" }), await llm({ prompt: "2" }), await llm({ prompt: "3" })];
  expect(texts.map(({ text, error }) => text ?? error)).toEqual([
    "a",
    "b",
    "omp.llm: what this call's code asked of models has cost $3.00, which is the limit (setting bridge.maxCostUsd) (BRIDGE_LIMIT)",
  ]);
  expect(asked).toHaveLength(2);
});

test("prompts of one group run so many at a time, those of another beside them", async () => {
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const model: Model = {
    ...modelOf([]).model,
    async *stream({ messages }: ModelRequest) {
      const [first] = messages;
      const text = first?.role === "user" ? messageText(first) : "";
      running.push(text);
      await new Promise<void>((resolve) => ends.set(text, resolve));
      const content = [{ type: "text" as const, text }];
      yield { type: "finish", reason: "stop", message: { role: "assistant", content }, usage: noUsage };
    },
  };
  const { llm } = asking(model, { maxConcurrency: 8 });
  const ask = (prompt: string, group: string) => llm({ prompt, group, atOnce: 1 });
  const answers = [ask("a1", "a"), ask("a2", "a"), ask("b1", "b")];
  await until("one of each runs", () => running.length === 2);
  expect(running.toSorted()).toEqual(["a1", "b1"]);
  ends.get("a1")?.();
  await until("the next runs", () => running.length === 3);
  for (const end of ends.values()) end();
  expect((await Promise.all(answers)).map(({ text }) => text)).toEqual(["a1", "a2", "b1"]);
});
