/** `script:<file>`: turns from a file, with the same retries and errors as other models. */

import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openModel } from "../../src/models/open-model.ts";
import type { Message } from "../../src/protocol/model.ts";
import { temporaryDirectory } from "../support/home.ts";
import { errorOf, hello, quickRetry, request, turnOf } from "./turn-of.ts";

function scriptOf(content: unknown): {
  file: string;
  open: () => ReturnType<typeof openModel>;
  waits: number[];
} {
  const cwd = temporaryDirectory();
  const file = join(cwd, "script.json");
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  const { waits, retry } = quickRetry();
  return { file, waits, open: () => openModel("script:script.json", { env: {}, cwd, retry }) };
}

test("each request takes the next turn; text is streamed word by word", async () => {
  const model = await scriptOf({
    turns: [
      {
        reasoning: "I must look.",
        text: "Let me\nsee.  ",
        toolCalls: [
          { name: "ls", input: { path: "." } },
          { name: "ls", input: {} },
        ],
      },
      { text: "Nothing." },
    ],
  }).open();
  const first = await turnOf(model);
  expect(first.events.map((event) => ("text" in event ? [event.type, event.text] : event.type))).toEqual([
    ["reasoning_delta", "I "],
    ["reasoning_delta", "must "],
    ["reasoning_delta", "look."],
    ["text_delta", "Let "],
    ["text_delta", "me\n"],
    ["text_delta", "see.  "],
    "finish",
  ]);
  expect(first.finish).toMatchObject({
    reason: "tool_calls",
    message: {
      role: "assistant",
      content: [
        { type: "reasoning", text: "I must look." },
        { type: "text", text: "Let me\nsee.  " },
        { type: "tool_call", id: "call_1_1", name: "ls", input: { path: "." } },
        { type: "tool_call", id: "call_1_2", name: "ls", input: {} },
      ],
    },
  });
  const result: Message = { role: "tool", callId: "call_1_1", name: "ls", output: "", isError: false };
  const second = await turnOf(model, request([hello, first.finish.message, result]));
  expect([second.text, second.finish.reason]).toEqual(["Nothing.", "stop"]);
  expect(second.finish.usage.inputTokens).toBeGreaterThan(first.finish.usage.inputTokens);
});

test("a temporary error is retried, with the next turn", async () => {
  const { open, waits } = scriptOf({
    turns: [
      { error: { status: 429, message: "slow down" } },
      { error: { status: 529, message: "Overloaded" } },
      { text: "ok" },
    ],
  });
  const { text, retries } = await turnOf(await open());
  expect(text).toBe("ok");
  expect(waits).toEqual([10, 20]);
  expect(retries.map(({ reason }) => reason)).toEqual([
    "script is limiting requests: slow down",
    "script failed with status 529: Overloaded",
  ]);
});

test("a permanent error is thrown", async () => {
  const { file, open } = scriptOf({ turns: [{ error: { status: 401, message: "who are you?" } }] });
  expect((await errorOf(turnOf(await open()))).message).toBe(
    `model: script refused access at ${file} with status 401: who are you? (AUTH)`,
  );
});

test("when no turn is left, the error says so", async () => {
  const { file, open } = scriptOf({ turns: [{ text: "one" }] });
  const model = await open();
  await turnOf(model);
  const error = await errorOf(turnOf(model));
  expect([error.kind, error.message]).toEqual([
    "script-ended",
    `model: ${file} has no turns left: its only turn is used up (SCRIPT_ENDED)`,
  ]);
});

test("an abort ends the delay", async () => {
  const model = await scriptOf({ turns: [{ delayMs: 600_000, text: "late" }] }).open();
  const abort = new AbortController();
  const turn = turnOf(model, request([hello], { signal: abort.signal }));
  abort.abort(new Error("enough"));
  await expect(turn).rejects.toThrow("enough");
});

describe("a bad file is named with its line", () => {
  test.each([
    ['{\n  "turns": [\n    {"text": "a" "b"}\n  ]\n}', 3, "not JSON: comma expected"],
    ["", 1, "not JSON: value expected"],
    ["[]", 1, "Invalid input: expected object, received array"],
    [
      '{\n "turns": [\n  {"text": "a"},\n  {"text": 1}\n]}',
      4,
      "turns.1.text: Invalid input: expected string, received number",
    ],
    ['{"turns": [\n {"txet": "a"}]}', 2, 'turns.0: Unrecognized key: "txet"'],
  ])("%p", async (content, line, problem) => {
    const { file, open } = scriptOf(content);
    const error = await errorOf(open());
    expect([error.kind, error.message]).toEqual([
      "bad-script",
      `model: ${file}:${line}: ${problem} (BAD_SCRIPT)`,
    ]);
  });

  test("or as missing", async () => {
    const cwd = temporaryDirectory();
    const error = await errorOf(openModel("script:no.json", { env: {}, cwd }));
    expect(error.message).toBe(`model: ${join(cwd, "no.json")}: no such file (BAD_SCRIPT)`);
  });
});
