/** Opening a model by name: what is checked before anything is sent. */

import { describe, expect, test } from "bun:test";
import { defaultModelName, noModelError, openModel } from "../../src/models/open-model.ts";
import { baseUrlOf, findProvider } from "../../src/models/providers.ts";
import { errorOf } from "./turn-of.ts";

const open = (name: string, env: Record<string, string> = {}) => openModel(name, { env, cwd: "/" });
const lineOf = async (name: string, env?: Record<string, string>) => (await errorOf(open(name, env))).message;

test("a known model has the catalogue's facts", async () => {
  expect((await open("anthropic/claude-haiku-4-5-20251001", { ANTHROPIC_API_KEY: "k" })).facts).toEqual({
    name: "anthropic/claude-haiku-4-5-20251001",
    contextTokens: 200_000,
    maxOutputTokens: 64_000,
    acceptsImages: true,
    takesEffort: true,
  });
});

test("an unknown model has conservative ones", async () => {
  const { facts } = await open("openai/gpt-99", { OPENAI_API_KEY: "k" });
  expect([facts.contextTokens, facts.acceptsImages]).toEqual([128_000, false]);
  expect((await open("ollama/qwen3")).facts).toEqual({
    name: "ollama/qwen3",
    contextTokens: 32_768,
    maxOutputTokens: 8_192,
    acceptsImages: false,
    takesEffort: true,
  });
});

test("invalid names", async () => {
  const known = "anthropic, openai, google, openrouter, ollama, lmstudio, llamacpp";
  expect(await lineOf("gpt-6.1-sol")).toBe(
    "model: 'gpt-6.1-sol' has no provider; write openai/gpt-6.1-sol (UNKNOWN_MODEL)",
  );
  expect(await lineOf("nonsense")).toBe(
    `model: 'nonsense' is not in the form provider/model; providers: ${known} (UNKNOWN_MODEL)`,
  );
  expect(await lineOf("acme/x")).toBe(
    `model: unknown provider 'acme' in 'acme/x'; providers: ${known} (UNKNOWN_MODEL)`,
  );
  expect(await lineOf("openai/")).toBe(
    "model: 'openai/' is not a model; write openai/<model> (UNKNOWN_MODEL)",
  );
});

test("a missing key is reported before anything is sent", async () => {
  expect(await lineOf("openai/gpt-5")).toBe("model: openai needs a key; set OPENAI_API_KEY (AUTH)");
  expect(await lineOf("google/gemini-2.5-pro", { GEMINI_API_KEY: " " })).toBe(
    "model: google needs a key; set GEMINI_API_KEY or GOOGLE_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY (AUTH)",
  );
});

test("a key that cannot be sent in a header is reported by its variable, not repeated", async () => {
  const { facts } = await openModel("openai/gpt-5", { cwd: "/", env: { OPENAI_API_KEY: " sk-1 2\n" } });
  expect(facts.name).toBe("openai/gpt-5");
  for (const OPENAI_API_KEY of ["sk-1\nsk-2", "\u201csk-1\u201d", "sk-1\u200b"])
    expect(await lineOf("openai/gpt-5", { OPENAI_API_KEY })).toBe(
      "model: OPENAI_API_KEY contains a line break or another character that is not allowed in a key; copy the key again (AUTH)",
    );
});

test("an invalid address is reported by its variable, not repeated", async () => {
  const env = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "user:secret@host" };
  expect(await lineOf("openai/gpt-5", env)).toBe(
    "model: OPENAI_BASE_URL must be an http:// or https:// address (BAD_REQUEST)",
  );
});

describe("addresses are completed", () => {
  test.each([
    ["anthropic", "ANTHROPIC_BASE_URL", "https://proxy.example/", "https://proxy.example/v1"],
    [
      "anthropic",
      "ANTHROPIC_BASE_URL",
      "https://proxy.example/anthropic/v1",
      "https://proxy.example/anthropic/v1",
    ],
    ["openai", "OPENAI_BASE_URL", "https://proxy.example/openai", "https://proxy.example/openai"],
    ["openai", "OPENAI_BASE_URL", "https://proxy.example", "https://proxy.example/v1"],
    ["google", "GOOGLE_GEMINI_BASE_URL", "https://proxy.example", "https://proxy.example/v1beta"],
    ["ollama", "OLLAMA_HOST", "0.0.0.0", "http://127.0.0.1:11434/v1"],
    ["ollama", "OLLAMA_HOST", ":1111", "http://127.0.0.1:1111/v1"],
    ["ollama", "OLLAMA_HOST", "box.lan:1111", "http://box.lan:1111/v1"],
    ["ollama", "OLLAMA_HOST", "https://box.lan", "https://box.lan/v1"],
    ["lmstudio", "LMSTUDIO_HOST", "", "http://127.0.0.1:1234/v1"],
  ])("%s: %s=%s", (name, variable, value, expected) => {
    const provider = findProvider(name);
    expect(provider && baseUrlOf(provider, { [variable]: value })).toBe(expected);
  });
});

test("the default is that of the first provider with a key", () => {
  const all = { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: "o", GOOGLE_API_KEY: "g", OPENROUTER_API_KEY: "r" };
  const { ANTHROPIC_API_KEY: _, ...withoutAnthropic } = all;
  expect(defaultModelName({ env: all })).toBe("anthropic/claude-sonnet-5-5");
  expect(defaultModelName({ env: withoutAnthropic })).toBe("openai/gpt-6.1-sol");
  expect(defaultModelName({ env: { GOOGLE_API_KEY: "g" } })).toBe("google/gemini-3.8-flash");
  expect(defaultModelName({ env: { OPENAI_API_KEY: "" } })).toBeUndefined();
  const endpoints = [{ name: "mine", baseUrl: "http://x", apiKeyEnv: "MY_KEY", models: [{ id: "m" }] }];
  expect(defaultModelName({ env: {}, endpoints })).toBeUndefined();
  expect(defaultModelName({ env: { MY_KEY: "k" }, endpoints })).toBe("mine/m");
});

test("without any, the message says what to set", () => {
  expect(noModelError("/h/.omp/agent/omp.jsonc").message).toBe(
    "model: no model is configured; set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY, " +
      "choose a local one (-m ollama/<model>), or add an endpoint to /h/.omp/agent/omp.jsonc (NO_MODEL)",
  );
});
