/** Servers on this machine, as they list their models. */

import { afterEach, expect, test } from "bun:test";
import { findLocalServers } from "../../src/models/local-servers.ts";
import { deadUrl } from "./wire-server.ts";

const servers: { stop: (closeActive: boolean) => Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop(true)));
});

function answering(answer: () => Response | Promise<Response>): string {
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
