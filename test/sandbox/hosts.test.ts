import { afterAll, beforeAll, expect, test } from "bun:test";
import { runFresh } from "../../src/process/run-fresh.ts";
import { isAllowed } from "../../src/sandbox/allowed-hosts.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { temporaryDirectory } from "../support/home.ts";
import { testSandbox } from "../support/sandbox.ts";

let sandbox: Sandbox;
let project: string;
const requests: string[] = [];
const answer = (request: Request) => {
  requests.push(
    `${request.method} ${new URL(request.url).pathname} ${request.headers.get("proxy-authorization")}`,
  );
  return new Response("from outside");
};
const allowed = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });
const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: answer });

beforeAll(async () => {
  project = temporaryDirectory({ lasts: "file" });
  const allowedHosts = [`127.0.0.1:${allowed.port}`];
  sandbox = await testSandbox({ projectRoot: project, allowedHosts }, { lasts: "file" });
});
afterAll(async () => {
  await Promise.all([allowed.stop(true), other.stop(true)]);
});

/** Runs JavaScript in the sandbox. */
async function run(code: string): Promise<string> {
  let printed = "";
  const take = (chunk: Uint8Array) => {
    printed += Buffer.from(chunk).toString();
  };
  await runFresh({
    argv: [process.execPath, "-e", code],
    ...{ cwd: project, env: {}, timeoutMs: 60_000, signal: new AbortController().signal },
    ...{ onStdout: take, onStderr: take, confinement: sandbox },
  });
  return printed;
}

test("a host is allowed by its name, those below a domain by a star, and other ports only when given", () => {
  const list = ["example.com", "*.example.org", "localhost:8080", "[::1]:9"];
  const judged = (host: string, port: number) => isAllowed({ host, port }, list);
  expect(judged("example.com", 443) && judged("EXAMPLE.com.", 80) && judged("localhost", 8080)).toBe(true);
  expect(judged("a.example.org", 443) && judged("b.a.example.org", 443)).toBe(true);
  const refused: [string, number][] = [
    ["example.com", 22],
    ["a.example.com", 443],
    ["example.org", 443],
    ["badexample.org", 443],
    ["example.com.evil.net", 443],
    ["localhost", 80],
  ];
  expect(refused.filter(([host, port]) => judged(host, port))).toEqual([]);
});

test("a program reaches an allowed host through the proxy, and no other host or port", async () => {
  const urls = [allowed.port, other.port].map((port) => `http://127.0.0.1:${port}/path`);
  const code = `for (const url of ${JSON.stringify(urls)}) {
    const answer = await fetch(url);
    console.log(answer.status, (await answer.text()).trim());
  }`;
  expect(await run(code)).toBe(
    `200 from outside\n403 127.0.0.1:${other.port} is not in sandboxAllow.hosts\n`,
  );
  expect(requests.splice(0)).toEqual(["GET /path null"]);
});

test("a tunnel leads to the allowed host only, and what is not HTTP is refused", async () => {
  const code = `
    const { connect } = require("node:net");
    const say = (text) => new Promise((resolve) => {
      let got = "";
      const socket = connect({ host: "127.0.0.1", port: Number(new URL(process.env.HTTP_PROXY).port) }, () => socket.write(text));
      socket.on("data", (data) => { got += data; });
      socket.on("close", () => resolve(got));
      socket.on("error", () => resolve("lost"));
    });
    const end = "\\r\\n\\r\\n";
    console.log((await say("CONNECT 127.0.0.1:${allowed.port} HTTP/1.1" + end + "GET /tunnel HTTP/1.1\\r\\nHost: x\\r\\nConnection: close" + end)).split("\\r\\n")[0]);
    console.log((await say("CONNECT 127.0.0.1:${other.port} HTTP/1.1" + end)).split("\\r\\n")[0]);
    console.log((await say("GET ftp://127.0.0.1/ HTTP/1.1" + end)).split("\\r\\n")[0]);
    console.log((await say("SSH-2.0-x" + end)).split("\\r\\n")[0]);`;
  expect(await run(code)).toBe(
    "HTTP/1.1 200 Connected\nHTTP/1.1 403 Not allowed by the sandbox\nHTTP/1.1 400 Bad request\nHTTP/1.1 400 Bad request\n",
  );
  expect(requests.splice(0)).toEqual(["GET /tunnel null"]);
});

test("two requests on one connection do not lead to two hosts", async () => {
  const code = `
    const { connect } = require("node:net");
    const socket = connect({ host: "127.0.0.1", port: Number(new URL(process.env.HTTP_PROXY).port) });
    const request = (port, path) => "GET http://127.0.0.1:" + port + path + " HTTP/1.1\\r\\nHost: x\\r\\nProxy-Authorization: me\\r\\n\\r\\n";
    socket.write(request(${allowed.port}, "/one") + request(${other.port}, "/two"));
    let got = "";
    socket.on("close", () => console.log(got.match(/^connection: .*$/gim)?.join(), got.split("\\r\\n\\r\\n")[1]));
    socket.on("data", (data) => { got += data; });`;
  expect(await run(code)).toBe("Connection: close from outside\n");
  expect(requests.splice(0)[0]).toBe("GET /one null");
});
