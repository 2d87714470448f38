/** Servers on this machine, as they list their models. */

import { afterEach, expect, test } from "bun:test";
import { findLocalServers } from "../../src/models/local-servers.ts";
import { openModel } from "../../src/models/open-model.ts";
import { compatible } from "./formats/compatible.ts";
import { turnOf } from "./turn-of.ts";
import { deadUrl } from "./wire-server.ts";

const servers: { stop: (closeActive: boolean) => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop(true)));
});

function answering(answer: (request: Request) => Response | Promise<Response>): string {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
  servers.push(server);
  return server.url.href.replace(/\/$/, "");
}

const listOf = (...data: unknown[]) => answering(() => Response.json({ object: "list", data }));

test("lists the running servers and their models", async () => {
  const dead = deadUrl();
  const env = {
    OLLAMA_HOST: listOf({ id: "qwen3:8b", owned_by: "library" }, { id: "nomic-embed-text" }),
    LMSTUDIO_HOST: dead,
    LLAMACPP_HOST: listOf({ id: "gpt-oss", owned_by: "llamacpp", meta: { n_ctx_train: 131_072 } }),
  };
  expect(await findLocalServers({ env, timeoutMs: 5_000 })).toEqual([
    { provider: "ollama", baseUrl: `${env.OLLAMA_HOST}/v1`, isRunning: true, models: [{ id: "qwen3:8b" }] },
    { provider: "lmstudio", baseUrl: `${dead}/v1`, isRunning: false, models: [] },
    {
      provider: "llamacpp",
      baseUrl: `${env.LLAMACPP_HOST}/v1`,
      isRunning: true,
      models: [{ id: "gpt-oss", contextTokens: 131_072 }],
    },
  ]);
});

test("another program on the port, a web page, or silence means that it is not running", async () => {
  const env = {
    OLLAMA_HOST: answering(() => new Response("<html>")),
    LMSTUDIO_HOST: answering(() => new Promise<Response>(() => undefined)),
    LLAMACPP_HOST: listOf({ id: "x", owned_by: "somebody" }),
  };
  const found = await findLocalServers({ env, timeoutMs: 100 });
  expect(found.map(({ isRunning }) => isRunning)).toEqual([false, false, false]);
});

/** Answers these paths with JSON, and turns with a word. */
function server(answers: Readonly<Record<string, unknown>>): string {
  return answering(({ url }) => {
    const { pathname } = new URL(url);
    if (pathname === "/v1/chat/completions") return new Response(compatible.turn({ text: ["ok"] }).join(""));
    const answer = answers[pathname];
    return answer === undefined ? new Response("", { status: 404 }) : Response.json(answer);
  });
}

async function sizeOf(name: string, env: Record<string, string>, more = {}) {
  const { facts } = await openModel(name, { env, cwd: "/", ...more });
  return [facts.contextTokens, facts.acceptsImages];
}

test("a session's server is asked for the context that it runs the model with, and for pictures", async () => {
  const LLAMACPP_HOST = server({
    "/v1/models": { data: [{ id: "m.gguf", owned_by: "llamacpp", meta: { n_ctx_train: 131_072 } }] },
    "/props": { default_generation_settings: { n_ctx: 8_192 }, modalities: { vision: true } },
  });
  expect(await sizeOf("llamacpp/any-name", { LLAMACPP_HOST })).toEqual([8_192, true]);
  const LMSTUDIO_HOST = server({
    "/v1/models": { data: [{ id: "qwen" }, { id: "llava" }] },
    "/api/v0/models": {
      data: [
        { id: "qwen", type: "llm", loaded_context_length: 4_096, max_context_length: 32_768 },
        { id: "llava", type: "vlm", max_context_length: 16_384 },
      ],
    },
  });
  expect(await sizeOf("lmstudio/qwen", { LMSTUDIO_HOST })).toEqual([4_096, false]);
  expect(await sizeOf("lmstudio/llava", { LMSTUDIO_HOST })).toEqual([16_384, true]);
  const OLLAMA_HOST = server({
    "/v1/models": { data: [{ id: "qwen3:latest" }, { id: "gemma3:4b" }] },
    "/api/ps": { models: [{ model: "qwen3:latest", context_length: 4_096 }] },
    "/api/show": {
      parameters: "num_ctx                        16384",
      capabilities: ["completion", "vision"],
    },
  });
  expect(await sizeOf("ollama/qwen3", { OLLAMA_HOST })).toEqual([4_096, true]);
  expect(await sizeOf("ollama/gemma3:4b", { OLLAMA_HOST })).toEqual([16_384, true]);
  expect(await sizeOf("ollama/unknown", { OLLAMA_HOST })).toEqual([32_768, false]);
});

test("Ollama is asked again when it has loaded the model", async () => {
  const answers = {
    "/v1/models": { data: [{ id: "qwen3:latest" }] },
    "/api/ps": { models: [] as unknown[] },
  };
  const OLLAMA_HOST = server(answers);
  const model = await openModel("ollama/qwen3", { env: { OLLAMA_HOST }, cwd: "/" });
  expect(model.facts.contextTokens).toBe(32_768);
  answers["/api/ps"].models.push({ model: "qwen3:latest", context_length: 4_096 });
  await turnOf(model);
  expect(model.facts.contextTokens).toBe(4_096);
});

test("an endpoint on this machine is asked for what the settings do not say, with its key", async () => {
  const keys: (string | null)[] = [];
  const url = answering(({ headers }) => {
    keys.push(headers.get("authorization"));
    return Response.json({ data: [{ id: "m", max_model_len: 40_960 }] });
  });
  const endpoint = { name: "mine", baseUrl: `${url}/v1`, apiKeyEnv: "MY_KEY" };
  const env = { MY_KEY: "secret" };
  expect(await sizeOf("mine/m", env, { endpoints: [endpoint] })).toEqual([40_960, false]);
  expect(keys).toEqual(["Bearer secret"]);
  const set = { ...endpoint, models: [{ id: "m", contextTokens: 1_000 }] };
  expect((await sizeOf("mine/m", env, { endpoints: [set] }))[0]).toBe(1_000);
  expect(keys).toHaveLength(1);
});
