import { expect, test } from "bun:test";
import { argumentHint, isPromptCall, readArguments } from "../../src/app/mcp-prompts.ts";
import { mentionedResources } from "../../src/app/mcp-resources.ts";
import type { McpPrompt, McpServerStatus } from "../../src/protocol/mcp.ts";

const prompt: McpPrompt = {
  server: "s",
  name: "weather",
  description: "",
  arguments: [
    { name: "city", description: "", isRequired: true },
    { name: "state", description: "", isRequired: false },
  ],
};
const without = { ...prompt, arguments: [] };
const server = { name: "my.server", prompts: [], tools: [] } as unknown as McpServerStatus;
const mcp = { servers: [server] };

test.each([
  ["Paris", { city: "Paris" }],
  ["Paris Texas", { city: "Paris", state: "Texas" }],
  ['"New York" NY', { city: "New York", state: "NY" }],
  ["Paris the whole rest of it", { city: "Paris", state: "the whole rest of it" }],
  ["state=TX Paris", { city: "Paris", state: "TX" }],
  ['state="New Mexico" city=Taos', { city: "Taos", state: "New Mexico" }],
  ["Paris state='it''s'", { city: "Paris", state: "its" }],
  ["E=mc²", { city: "E=mc²" }],
])("arguments by place and by name: %s", (text, given) => {
  expect(readArguments(text, prompt)).toEqual(given);
});

test.each([
  ["", "/s:weather: needs city: /s:weather <city> [state] (BAD_ARGUMENT)"],
  ["state=TX", "/s:weather: needs city: /s:weather <city> [state] (BAD_ARGUMENT)"],
  ["citi=Paris", "/s:weather: there is no argument 'citi': /s:weather <city> [state] (BAD_ARGUMENT)"],
  ["city=a state=b c", "/s:weather: 'c' is one too many: /s:weather <city> [state] (BAD_ARGUMENT)"],
])("a bad argument is one line: %s", (text, line) => {
  expect(() => readArguments(text, prompt)).toThrow(line);
});

test("a prompt without arguments takes none", () => {
  expect(readArguments(" ", without)).toEqual({});
  expect(() => readArguments("x", without)).toThrow(
    "/s:weather: 'x' is one too many: /s:weather (BAD_ARGUMENT)",
  );
  expect(argumentHint(without)).toBe("");
});

test("only what names a server that there is calls a prompt", () => {
  expect(
    ["/my.server:x", "/my.server:x y", "/other:x", "/my.server x", "/data/my.server:x", "my.server:x"].map(
      (text) => isPromptCall(text, mcp),
    ),
  ).toEqual([true, true, false, false, false, false]);
  expect(isPromptCall("/my.server:x", undefined)).toBe(false);
});

test("resources are found in a sentence, each once", () => {
  const text =
    'Compare @my.server:note://a, (@my.server:note://b) and @"my.server:note://c d", then @my.server:note://a. Not @other:x, a@my.server:x or @types/node:y';
  expect(mentionedResources(text, mcp).map(({ uri }) => uri)).toEqual(["note://a", "note://b", "note://c d"]);
});
