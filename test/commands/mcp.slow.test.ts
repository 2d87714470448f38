/** `omp mcp add|list|remove`, with real servers. */

import { beforeEach, expect, test } from "bun:test";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type McpAction, runMcp } from "../../src/commands/mcp.ts";
import { ompPaths } from "../../src/config/paths.ts";
import { readTrust } from "../../src/config/trust.ts";
import { peers } from "../mcp/session.ts";
import { capturedIo } from "../support/captured-io.ts";
import { type TestPlace, temporaryPlace, trustPlace } from "../support/home.ts";
import { userEnvironment } from "../support/omp.ts";

let place: TestPlace;
beforeEach(() => {
  place = temporaryPlace();
});

const listFile = () => join(place.home, ".omp", "agent", "omp-mcp.json");

async function run(action: McpAction) {
  const { io, out } = capturedIo();
  const invocation = { env: userEnvironment(place), cwd: place.project };
  return { exitCode: await runMcp(action, io, invocation), ...out };
}

const added = (server: string, command: readonly string[], more = {}) =>
  run({ name: "add", server: { name: server, command, ...more } });

test("servers are added to the user's list, which is private, and removed from it", async () => {
  expect(await added("files", ["npx", "-y", "server", "."], { env: ["A=b=c"] })).toEqual({
    exitCode: 0,
    stdout: `Added files: ${listFile()}\n`,
    stderr: "",
  });
  await added("web", [], { url: "https://example.com/mcp", header: [`Authorization: Bearer \${T}`] });
  const read = () => JSON.parse(readFileSync(listFile(), "utf8"));
  expect(read()).toEqual({
    mcpServers: {
      files: { command: "npx", args: ["-y", "server", "."], env: { A: "b=c" } },
      web: { type: "http", url: "https://example.com/mcp", headers: { Authorization: `Bearer \${T}` } },
    },
  });
  expect(statSync(listFile()).mode & 0o777).toBe(0o600);
  const removed = await run({ name: "remove", server: { name: "files" }, json: true });
  expect(JSON.parse(removed.stdout)).toEqual({ name: "files", file: listFile() });
  expect(Object.keys(read().mcpServers)).toEqual(["web"]);
  await added("last", ["x"]);
  await run({ name: "remove", server: { name: "last" } });
  expect(Object.keys(read().mcpServers)).toEqual(["web"]);
});

test.each([
  [["x", ["a"], { url: "http://b" }], "omp mcp add: give either a command after --, or --url (USAGE)"],
  [["x", []], "omp mcp add: give either a command after --, or --url (USAGE)"],
  [["x", [], { url: "nowhere" }], "omp mcp add: 'nowhere' is not an http(s) address (USAGE)"],
  [["x", ["a"], { env: ["=b"] }], "omp mcp add: '=b' is not NAME=value (USAGE)"],
  [["x", ["a"], { header: ["A: b"] }], "omp mcp add: use --header with --url, --env with a command (USAGE)"],
  [
    ["a b", ["a"]],
    "mcp: 'a b' is not a valid server name; use letters, digits, '-', '_' and '.' (INVALID_VALUE)",
  ],
] as const)("%j is refused in one line", async ([name, command, more], line) => {
  expect(await added(name, command, more)).toEqual({ exitCode: 2, stdout: "", stderr: `${line}\n` });
});

test("a name that is taken, or that is not there, is an error that names the file", async () => {
  await added("a", ["x"]);
  expect((await added("a", ["y"])).stderr).toBe(
    `mcp: ${listFile()} already has a server 'a'; to remove it: omp mcp remove a (INVALID_VALUE)\n`,
  );
  expect((await run({ name: "remove", server: { name: "b" } })).stderr).toBe(
    `mcp: ${listFile()} has no server 'b'; it has a (INVALID_VALUE)\n`,
  );
});

test("what the user adds to a trusted project stays trusted, and the rest of the file as it is", async () => {
  const file = join(place.project, ".mcp.json");
  writeFileSync(file, '{\n  "other": 1,\n  "mcpServers": {\n    "a": {"command": "x"}\n  }\n}\n');
  trustPlace(place);
  await added("b", ["y"], { project: true });
  expect(readFileSync(file, "utf8")).toBe(
    '{\n  "other": 1,\n  "mcpServers": {\n    "a": {"command": "x"},\n    "b": {\n      "command": "y"\n    }\n  }\n}\n',
  );
  const { trustFile } = ompPaths({ env: { HOME: place.home } });
  expect(readTrust({ root: place.project, cwd: place.project, trustFile }).state).toBe("trusted");
});

test("the list says whether each server works", async () => {
  expect((await run({ name: "list" })).stdout).toStartWith("No MCP servers. Add one: omp mcp add");
  const { command, args } = peers.recording(join(place.home, "record"));
  await added("works", [command, ...args]);
  await added("missing", ["omp-no-such-program"]);
  expect(await run({ name: "list" })).toEqual({
    exitCode: 0,
    stderr: "",
    stdout: [
      "missing  user  failed  omp-no-such-program",
      '    mcp missing: Executable not found in $PATH: "omp-no-such-program" (NOT_CONNECTED)',
      `works    user  works   ${[command, ...args].join(" ")}`,
      "    9 tools",
      "",
    ].join("\n"),
  });
  const [missing, works] = JSON.parse((await run({ name: "list", json: true })).stdout);
  expect([missing.state, works.state, works.tools]).toEqual([
    "failed",
    "ready",
    ["hang", "end", "leave", "change", "ask", "open", "sample", "askAndHang", "write"],
  ]);
});

test("a list waits until each has answered or has failed", async () => {
  await added("silent", ["node", "-e", "setInterval(() => undefined, 1000)"]);
  writeFileSync(join(place.home, ".omp", "agent", "omp.jsonc"), '{ "mcp": { "startTimeout": 1 } }');
  const [server] = JSON.parse((await run({ name: "list", json: true })).stdout);
  expect([server.state, server.problem]).toEqual([
    "failed",
    "mcp silent: did not answer within 1 s (NOT_CONNECTED)",
  ]);
});
