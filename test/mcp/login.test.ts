/** `omp mcp login` against an authorization server on loopback, with a browser here and with one on another machine. */

import { afterEach, beforeEach, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { launcher, userEnvironment } from "../support/omp.ts";
import { AuthorizationServer } from "./authorization-server.ts";
import { call, mcpPlace } from "./session.ts";

const at = mcpPlace();
let server: AuthorizationServer;
beforeEach(() => {
  server = new AuthorizationServer();
  at().addServers({ guarded: { url: server.url }, program: { command: "x" } });
});
afterEach(async () => await server.close());

function start(name = "guarded") {
  const { home, project } = at().place;
  return Bun.spawn([launcher, "mcp", "login", name], {
    cwd: project,
    env: userEnvironment({ home, project }),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
}

/** What the user is to open. */
async function addressFrom(child: ReturnType<typeof start>): Promise<string> {
  let text = "";
  for await (const chunk of child.stderr) {
    text += new TextDecoder().decode(chunk);
    const [address] = /http:\S+authorize\S+/.exec(text) ?? [];
    if (address !== undefined && text.includes("paste")) return address;
  }
  throw new Error(`no address in ${text}`);
}

async function logIn(): Promise<void> {
  const child = start();
  await fetch(await addressFrom(child));
  expect([await child.exited, await new Response(child.stdout).text()]).toEqual([
    0,
    "Logged in to guarded.\n",
  ]);
}

test("a browser on this machine comes back by itself; the login is kept in a private file", async () => {
  await logIn();
  expect(statSync(join(at().place.home, ".omp", "agent", "omp-mcp-logins.json")).mode & 0o777).toBe(0o600);
  const services = await at().open();
  expect((await call(services, "mcp__guarded__secret")).output).toBe("told");
  expect(server.grants).toEqual(["authorization_code"]);
});

test("of a browser elsewhere the user pastes the address that it ended at", async () => {
  const child = start();
  const address = await addressFrom(child);
  const back = (await fetch(address, { redirect: "manual" })).headers.get("location");
  child.stdin.write(`\nnot an address\n${back}\n`);
  await child.stdin.flush();
  expect(await child.exited).toBe(0);
  expect(server.grants).toEqual(["authorization_code"]);
});

test("an answer that does not belong to the login is refused", async () => {
  const child = start();
  const address = new URL(await addressFrom(child));
  await fetch(`${address.searchParams.get("redirect_uri")}?code=stolen&state=guessed`);
  expect(await child.exited).toBe(1);
  expect(server.grants).toEqual([]);
});

test("a token that is no longer valid is renewed without a question, and a login that is taken back is named", async () => {
  await logIn();
  server.valid.clear();
  const services = await at().open();
  expect((await call(services, "mcp__guarded__secret")).output).toBe("told");
  expect(server.grants).toEqual(["authorization_code", "refresh_token"]);
  server.revoke();
  await at().open();
  expect(at().stderr.at(-1)).toContain("omp mcp login guarded");
});

test("without a login one line says how to get one; a program needs none", async () => {
  await at().open();
  expect(at().stderr).toContain(
    "mcp guarded: the server answered 401; it needs a header, or: omp mcp login guarded (NOT_CONNECTED)\n",
  );
  const child = start("program");
  expect([await child.exited, await new Response(child.stderr).text()]).toEqual([
    2,
    "omp mcp login: 'program' is a program: it needs no login (USAGE)\n",
  ]);
});
