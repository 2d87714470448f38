/** `omp models` with providers, local servers and endpoints of the user's own. */

import { afterEach, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runModels } from "../../src/commands/models.ts";
import type { Settings } from "../../src/config/schema.ts";
import { deadUrl } from "../models/wire-server.ts";
import { capturedIo } from "../support/captured-io.ts";
import { temporaryPlace } from "../support/home.ts";

const servers: { stop: (closeActive: boolean) => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop(true)));
});

/** Nothing of what may run on this machine is asked. */
async function nobody() {
  const url = deadUrl();
  return { OLLAMA_HOST: url, LMSTUDIO_HOST: url, LLAMACPP_HOST: url };
}

/** With these endpoints in the user's own settings. */
async function models(
  env: Record<string, string>,
  { endpoints = [], ...options }: { json?: boolean; endpoints?: Settings["endpoints"] } = {},
) {
  const { home, project } = temporaryPlace();
  mkdirSync(join(home, ".omp", "agent"), { recursive: true });
  writeFileSync(join(home, ".omp", "agent", "omp.jsonc"), JSON.stringify({ endpoints }));
  const { io, out } = capturedIo();
  const exitCode = await runModels(options, io, { env: { ...env, HOME: home }, cwd: project });
  return { exitCode, ...out };
}

test("lists providers, prices and the default; no key is printed", async () => {
  const { exitCode, stdout, stderr } = await models({ ...(await nobody()), OPENAI_API_KEY: "sk-secret" });
  expect([exitCode, stderr]).toEqual([0, ""]);
  const lines = stdout.split("\n");
  expect(lines).toContain("anthropic: set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN");
  expect(lines).toContain("openai: OPENAI_API_KEY is set");
  expect(lines.filter((line) => line.startsWith("* "))).toEqual([
    expect.stringMatching(/^\* openai\/gpt-6\.1-sol +1\.05M context +\$2 \/ \$10 +images, reasoning$/),
    "* the default: openai/gpt-6.1-sol",
  ]);
  expect(stdout).not.toContain("sk-secret");
});

test("without a key it says what there is all the same", async () => {
  const { exitCode, stdout } = await models(await nobody());
  expect(exitCode).toBe(0);
  expect(stdout).toEndWith(
    "No model is configured: set a provider's key, or choose a model with -m. To try omp without a model: -m demo\n",
  );
});

test("--json: local servers and custom endpoints too", async () => {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => Response.json({ object: "list", data: [{ id: "qwen3:8b" }] }),
  });
  servers.push(server);
  const url = server.url.href.replace(/\/$/, "");
  const endpoints = [
    {
      name: "mine",
      baseUrl: "https://llm.example/v1",
      apiKeyEnv: "MY_KEY",
      models: [{ id: "m", contextTokens: 64_000 }],
    },
  ];
  const { stdout } = await models(
    { ...(await nobody()), OLLAMA_HOST: url, MY_KEY: "k" },
    { json: true, endpoints },
  );
  const report = JSON.parse(stdout);
  expect(report.default).toBe("mine/m");
  expect(report.providers.map(({ name, ready }: { name: string; ready: boolean }) => [name, ready])).toEqual([
    ["anthropic", false],
    ["openai", false],
    ["google", false],
    ["openrouter", false],
    ["ollama", true],
    ["lmstudio", false],
    ["llamacpp", false],
    ["mine", true],
  ]);
  expect(report.providers[4]).toEqual({
    name: "ollama",
    baseUrl: `${url}/v1`,
    ready: true,
    note: `runs at ${url}/v1`,
    keyVariables: [],
    models: [
      {
        name: "ollama/qwen3:8b",
        contextTokens: 32_768,
        maxOutputTokens: 8_192,
        images: false,
        reasoning: false,
        price: null,
      },
    ],
  });
  expect(report.providers[7].models[0]).toMatchObject({ name: "mine/m", contextTokens: 64_000 });
});

test("the settings' endpoints and model are known, and broken settings are told", async () => {
  const place = temporaryPlace();
  mkdirSync(join(place.home, ".omp", "agent"), { recursive: true });
  const put = (settings: unknown) =>
    writeFileSync(join(place.home, ".omp", "agent", "omp.jsonc"), JSON.stringify(settings));
  put({
    model: "mine/m",
    endpoints: [{ name: "mine", baseUrl: "http://127.0.0.1:9/v1", models: [{ id: "m" }] }],
  });
  const out = { stdout: "", stderr: "" };
  const run = async () => {
    out.stdout = "";
    const io = {
      stdout: (text: string) => {
        out.stdout += text;
      },
      stderr: (text: string) => {
        out.stderr += text;
      },
    };
    const env = { ...(await nobody()), HOME: place.home };
    return await runModels({ json: true }, io, { env, cwd: place.project });
  };
  expect(await run()).toBe(0);
  expect(JSON.parse(out.stdout)).toMatchObject({ default: "mine/m" });
  put({ endpoints: 1 });
  expect(await run()).toBe(2);
  expect(out.stderr).toMatch(/^settings: 'endpoints' .*\n$/);
});

test("an address that is none: one line, exit 2", async () => {
  expect(await models({ ...(await nobody()), OPENAI_BASE_URL: "nonsense" })).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: "model: OPENAI_BASE_URL must be an http:// or https:// address (BAD_REQUEST)\n",
  });
});
