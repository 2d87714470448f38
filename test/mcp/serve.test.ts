/** `omp mcp serve`, as other agents use it: with the client of the SDK, in its present and in its former generation. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FormerClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FormerTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { launcher, userEnvironment } from "../support/omp.ts";
import { isRunning, nothingLeft } from "../support/processes.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { until } from "../support/until.ts";
import { call, McpPlace } from "./session.ts";

let place: TestPlace;
const closing: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  place = temporaryPlace();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await nothingLeft(place);
});

const info = { name: "test", version: "1" };

function environment(): Record<string, string> {
  const all = userEnvironment(place, { VIRTUAL_ENV: testPython.venv });
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

const program = (args: readonly string[] = []) => ({
  command: launcher,
  args: ["mcp", "serve", ...args],
  cwd: place.project,
  env: environment(),
  stderr: "pipe" as const,
});

async function connect(args: readonly string[] = [], client = new Client(info)): Promise<Client> {
  await client.connect(new StdioClientTransport(program(args)));
  closing.push(() => client.close());
  return client;
}

/** The text of a result. */
async function text(client: Client, name: string, input: Record<string, unknown>): Promise<string> {
  const { content } = await client.callTool({ name, arguments: input });
  return content.map((part) => (part.type === "text" ? part.text : part.type)).join("\n");
}

const cells = (...codes: string[]) => ({ cells: codes.map((code) => ({ code })) });

test("the tools, with their schemas and what they may change", async () => {
  const client = await connect(["--tools", "bash,read,exec"]);
  const { tools } = await client.listTools();
  expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
    ["bash", false],
    ["read", true],
    ["exec", false],
  ]);
  expect(tools[1]?.inputSchema).toMatchObject({ type: "object", required: ["path"] });
  expect(client.getInstructions()).toContain("persistent shell");
});

test("a result is text, whether it failed, and facts; bad input and what may not run are results, too", async () => {
  const client = await connect();
  writeFileSync(join(place.project, "a.txt"), "one\n");
  expect(await client.callTool({ name: "bash", arguments: { command: "cat a.txt; exit 3" } })).toMatchObject({
    isError: true,
    content: [{ type: "text", text: expect.stringContaining("one") }],
    structuredContent: { output: expect.stringContaining("one"), details: { exitCode: 3 } },
  });
  expect(await text(client, "bash", { command: "cd / && X=1" })).toBe("(no output)");
  expect(await text(client, "bash", { command: "echo $X; pwd" })).toBe("1\n/");
  expect(await text(client, "read", {})).toBe("read: field 'path' is required (INVALID_INPUT)");
  expect(await text(client, "bash", { command: "rm -rf /" })).toContain("(DANGEROUS)");
  expect(await text(client, "nothing", {})).toContain("nothing: unknown tool; available: python, bash");
});

test("output is told as progress while a call runs, and cancelling the request ends the call", async () => {
  const client = await connect(["--tools", "bash"]);
  const abort = new AbortController();
  const messages: string[] = [];
  const command = "echo started; echo $$ > pid; sleep 1000";
  const running = client.callTool(
    { name: "bash", arguments: { command } },
    {
      signal: abort.signal,
      onprogress: ({ message = "" }) => {
        messages.push(message);
        if (messages.join("").includes("started")) abort.abort();
      },
    },
  );
  await expect(running).rejects.toThrow();
  // The shell is free again only when the command has been stopped.
  expect(await text(client, "bash", { command: "echo next" })).toContain("next");
});

test("a client that leaves ends omp and everything that it has started", async () => {
  const client = await connect(["--tools", "bash"]);
  const command = "sleep 1000 & sleep 1000 & echo $!";
  await client.callTool({ name: "bash", arguments: { command } });
  await client.close();
  await nothingLeft(place);
});

describe("approval", () => {
  const file = () => join(place.project, "made");
  const touch = { name: "bash", arguments: { command: "touch made" } };

  test("ask is refused in words where the client cannot ask", async () => {
    const client = await connect(["--approval", "ask"]);
    expect(await text(client, touch.name, touch.arguments)).toContain(
      "approval is needed, but this run is non-interactive (DENIED)",
    );
    expect(existsSync(file())).toBe(false);
  });

  test.each(["once", "no"] as const)("ask is a question to a client that can ask: %s", async (answer) => {
    const client = new Client(info, { capabilities: { elicitation: { form: {} } } });
    const asked: string[] = [];
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { answer } };
    });
    await connect(["--approval", "ask"], client);
    const { isError } = await client.callTool(touch);
    expect(asked).toEqual(["bash: touch made (not on the safe list: touch made)"]);
    expect([isError, existsSync(file())]).toEqual(answer === "once" ? [false, true] : [true, false]);
  });
});

test("the SDK's former generation is a client like any other", async () => {
  const client = new FormerClient(info);
  await client.connect(new FormerTransport(program(["--tools", "read,write"])));
  closing.push(() => client.close());
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["read", "write"]);
  const path = join(place.project, "made");
  await client.callTool({ name: "write", arguments: { path, content: "text" } });
  expect(readFileSync(path, "utf8")).toBe("text");
});

describe("over HTTP", () => {
  async function serve(args: readonly string[] = []) {
    const child = Bun.spawn([launcher, "mcp", "serve", "--http", "--json", ...args], {
      cwd: place.project,
      env: environment(),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    closing.push(async () => {
      child.kill();
      await child.exited;
    });
    const { value } = await child.stdout.getReader().read();
    const { url, token } = JSON.parse(new TextDecoder().decode(value));
    const open = async () => {
      const client = new Client(info);
      const headers = { authorization: `Bearer ${token}` };
      const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
      await client.connect(transport);
      return { client, transport };
    };
    return { child, url: String(url), token: String(token), open };
  }

  test("every client has a shell of its own, which ends with its session", async () => {
    const { open } = await serve(["--tools", "bash"]);
    const [one, other] = [await open(), await open()];
    await text(one.client, "bash", { command: "X=one; sleep 1000 & echo $! > pid" });
    expect(await text(other.client, "bash", { command: "echo [$X]" })).toBe("[]");
    expect(await text(one.client, "bash", { command: "echo [$X]" })).toBe("[one]");
    const pid = Number(readFileSync(join(place.project, "pid"), "utf8"));
    await one.transport.terminateSession();
    await until("its processes are gone", () => !isRunning(pid));
    expect(await text(other.client, "bash", { command: "echo still" })).toBe("still");
  });

  test("nobody gets in without the token, nor under another name", async () => {
    const { url, token } = await serve();
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
    const ask = (headers: Record<string, string>) => fetch(url, { method: "POST", body, headers });
    expect((await ask({})).status).toBe(401);
    expect((await ask({ authorization: "Bearer wrong" })).status).toBe(401);
    expect((await ask({ host: "evil.example" })).status).toBe(403);
    const authorization = `Bearer ${token}`;
    const statuses = ["https://evil.example", "null", "http://localhost.evil.example"].map(
      async (origin) => (await ask({ authorization, origin })).status,
    );
    expect(await Promise.all(statuses)).toEqual([403, 403, 403]);
    // Let in, and told what is wrong with the request.
    expect((await ask({ authorization, origin: "http://localhost:5173" })).status).toBe(406);
    expect((await fetch(new URL("/", url))).status).toBe(404);
  });

  test("omp itself is a client like any other, with the token as a header", async () => {
    const { url, token } = await serve(["--tools", "bash,read"]);
    const at = new McpPlace();
    closing.push(() => at.close());
    const headers = { Authorization: `Bearer \${TOKEN}` };
    at.addServers({ remote: { url, headers }, refused: { url, headers: { Authorization: "Bearer x" } } });
    const services = await at.open({}, { TOKEN: token });
    expect((await call(services, "mcp__remote__bash", { command: "echo $((6 * 7))" })).output).toBe("42");
    expect(services.tools.get("mcp__remote__read")?.readOnly).toBe(true);
    expect(at.stderr).toEqual([
      "mcp refused: the server answered 401; it needs a header, or: omp mcp login refused (NOT_CONNECTED)\n",
    ]);
  });

  test("ends with SIGTERM, and leaves nothing", async () => {
    const { child, open } = await serve(["--tools", "bash"]);
    const { client } = await open();
    await text(client, "bash", { command: "sleep 1000 &" });
    child.kill("SIGTERM");
    expect(await child.exited).toBe(143);
    await nothingLeft(place);
  });
});

describeWithPython(testPython, "python", () => {
  test("the kernel keeps its state from call to call, and pictures come as pictures", async () => {
    const client = await connect();
    await text(client, "python", cells("x = 41"));
    expect(await text(client, "python", cells("x + 1"))).toContain("42");
    const code = [
      "from IPython.display import Image, display",
      "import base64",
      "display(Image(base64.b64decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==')))",
    ].join("\n");
    const { content } = await client.callTool({ name: "python", arguments: cells(code) });
    expect(content.at(-1)).toMatchObject({ type: "image", mimeType: "image/png" });
  });
});
