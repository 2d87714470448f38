/** Servers that hang, end, change and leave things behind. */

import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning } from "../support/processes.ts";
import { until } from "../support/until.ts";
import { call, mcpPlace, peers } from "./session.ts";

const at = mcpPlace();
const record = () => join(at().place.home, "record");

function received(): Record<string, unknown>[] {
  if (!existsSync(record())) return [];
  const lines = readFileSync(record(), "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

/** Gives this answer when it is asked for its tools. */
function answeringServer(answer: string): object {
  const code = `
    const capabilities = { tools: {} };
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      const answer = method === "tools/list" ? { ${answer} } : {
        result: { protocolVersion: params?.protocolVersion, capabilities, serverInfo: { name: "s", version: "1" } },
      };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    });`;
  return { command: "node", args: ["-e", code] };
}

test("each server that cannot be used is named in one line, and the others work", async () => {
  at().addServers({
    ends: { command: "node", args: ["-e", "console.error('no config'); process.exit(3)"] },
    missing: { command: "omp-no-such-program" },
    unset: { command: "x", args: [`\${NOT_SET}`] },
    works: peers.recording(record()),
  });
  const services = await at().open();
  expect([...at().stderr].sort()).toEqual([
    "mcp ends: ended with exit code 3: no config (NOT_CONNECTED)\n",
    'mcp missing: Executable not found in $PATH: "omp-no-such-program" (NOT_CONNECTED)\n',
    `mcp unset: needs \${NOT_SET}, which is not set (NOT_CONNECTED)\n`,
  ]);
  expect(services.mcp?.servers.map(({ name, state }) => `${name} ${state}`)).toEqual([
    "ends failed",
    "missing failed",
    "unset failed",
    "works ready",
  ]);
  expect(services.mcp?.tools.map(({ name }) => name)).toContain("mcp__works__hang");
});

test("servers that are started again while they start are waited for by the next prompt", async () => {
  const { place } = at();
  const [started, go] = [join(place.home, "started"), join(place.home, "go")];
  const { command, args, env } = peers.recording(record());
  const script = `echo >> ${started}; until [ -e ${go} ]; do sleep 0.02; done; exec ${command} "$@"`;
  at().addServers({ slow: { command: "sh", args: ["-c", script, "sh", ...args], env } });
  at().settings({ mcp: { sandbox: true } });
  const services = await at().openUnready();
  services.mcp?.start();
  const starts = () => existsSync(started) && readFileSync(started, "utf8").length;
  await until("it starts", () => starts() === 1);
  await services.mcp?.restart();
  const ready = services.mcp?.ready(new AbortController().signal);
  await until("it starts again", () => starts() === 2);
  writeFileSync(go, "");
  await ready;
  expect(services.mcp?.servers.map(({ name, state }) => `${name} ${state}`)).toEqual(["slow ready"]);
});

test("a server whose answer cannot be used is named with what is wrong in it", async () => {
  at().addServers({
    refuses: answeringServer('error: { code: -32603, message: "no database" }'),
    wrong: answeringServer('result: { tools: [{ name: "bare" }] }'),
  });
  await at().open();
  expect([...at().stderr].sort()).toEqual([
    "mcp refuses: no database (NOT_CONNECTED)\n",
    expect.stringMatching(/^mcp wrong: Invalid result for tools\/list: .*inputSchema.* \(NOT_CONNECTED\)\n$/),
  ]);
});

test("a server that ends during a call is named, and the next call starts it again", async () => {
  at().addServers({ s: peers.recording(record()) });
  const services = await at().open();
  expect(await call(services, "mcp__s__end")).toMatchObject({
    isError: true,
    output: expect.stringMatching(/^mcp s: .*\(CONNECTION_LOST\)$/),
  });
  await until("the end is reported", () => at().stderr.length === 1);
  expect(at().stderr).toEqual([
    "mcp s: ended with exit code 7: out of luck; the next call reconnects (CONNECTION_LOST)\n",
  ]);
  expect((await call(services, "mcp__s__change")).output).toBe("changed");
});

test("the server is told when a call is cancelled", async () => {
  at().addServers({ s: peers.recording(record()) });
  const services = await at().open();
  const abort = new AbortController();
  const lines: string[] = [];
  const running = call(
    services,
    "mcp__s__hang",
    {},
    {
      signal: abort.signal,
      onUpdate: (line) => {
        lines.push(line);
        abort.abort();
      },
    },
  );
  expect((await running).details).toMatchObject({ cancelled: true });
  expect(lines).toEqual(["1/3 hanging\n"]);
  await until("the cancellation has arrived", () =>
    received().some(({ method }) => method === "notifications/cancelled"),
  );
});

test("tools that a server adds are there as soon as it says so", async () => {
  at().addServers({ s: peers.recording(record()) });
  const services = await at().open();
  expect(services.tools.get("mcp__s__added")).toBeUndefined();
  await call(services, "mcp__s__change");
  expect(await until("the tool is there", () => services.tools.get("mcp__s__added"))).toMatchObject({
    description: "New.",
    readOnly: false,
  });
});

test("closing the session ends servers, with what they have started", async () => {
  at().addServers({ s: peers.recording(record()) });
  const services = await at().open();
  const pid = Number((await call(services, "mcp__s__leave")).output);
  expect(isRunning(pid)).toBe(true);
  await services.close();
  await until("the process is gone", () => !isRunning(pid));
});
