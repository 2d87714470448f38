import { beforeEach, expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { settingRows } from "../../src/config/access.ts";
import { mcpServers } from "../../src/config/mcp-servers.ts";
import { ompPaths } from "../../src/config/paths.ts";
import { loadSettingsFor } from "../../src/config/settings.ts";
import { openProject, readTrust, untrustedNotice } from "../../src/config/trust.ts";
import { type TestPlace, temporaryPlace, trustPlace } from "../support/home.ts";

let place: TestPlace;
beforeEach(() => {
  place = temporaryPlace();
});

const env = () => ({ HOME: place.home, TOKEN: "secret", EMPTY: "" });
const paths = () => ompPaths({ env: env() });

function put(file: string, content: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
}
const putProject = (servers: unknown) => put(join(place.project, ".mcp.json"), { mcpServers: servers });
const putUser = (servers: unknown) => put(paths().mcpFile, { mcpServers: servers });

async function read(isTrusted = false) {
  const invocation = { env: env(), cwd: place.project, isTrusted };
  const settings = await loadSettingsFor(invocation);
  return mcpServers({ paths: paths(), project: openProject(invocation, paths()), settings, env: env() });
}

test("servers come from the settings, the user's list and the project, and the user's own win", async () => {
  put(paths().settingsFile, { mcp: { servers: { a: { command: "of-settings" } } } });
  putUser({ a: { command: "of-user" }, b: { command: "of-user", args: ["x"], env: { K: "v" }, cwd: "sub" } });
  putProject({ b: { command: "of-project" }, c: { type: "http", url: "https://example.com/mcp" } });
  trustPlace(place);
  expect(await read()).toEqual({
    servers: [
      {
        name: "a",
        origin: "settings",
        target: "of-settings",
        endpoint: { kind: "stdio", command: "of-settings", args: [], env: {}, cwd: place.home },
      },
      {
        name: "b",
        origin: "user",
        target: "of-user x",
        endpoint: {
          kind: "stdio",
          command: "of-user",
          args: ["x"],
          env: { K: "v" },
          cwd: join(place.project, "sub"),
        },
      },
      {
        name: "c",
        origin: "project",
        target: "https://example.com/mcp",
        endpoint: { kind: "http", url: "https://example.com/mcp", headers: {} },
      },
    ],
    warnings: [],
  });
});

test("variables are filled in everywhere, and never shown", async () => {
  putUser({
    a: {
      command: `\${HOME}/server`,
      args: [`--key=\${TOKEN}`, `\${MISSING:-fallback}`, `\${EMPTY:-empty}`],
      env: { KEY: `\${TOKEN}` },
    },
    b: { url: `https://\${HOST:-example.com}/`, headers: { authorization: `Bearer \${TOKEN}` } },
    c: { command: "x", args: [`\${MISSING}`, `\${TOKEN}`, `\${OTHER}`] },
  });
  const { servers } = await read();
  expect(servers.map(({ endpoint }) => endpoint)).toEqual([
    {
      kind: "stdio",
      command: `${place.home}/server`,
      args: ["--key=secret", "fallback", "empty"],
      env: { KEY: "secret" },
      cwd: place.home,
    },
    { kind: "http", url: "https://example.com/", headers: { authorization: "Bearer secret" } },
    undefined,
  ]);
  expect(servers.map(({ target }) => target).join(" ")).not.toContain("secret");
  expect(servers[2]?.problem).toBe(`needs \${MISSING}, \${OTHER}, which is not set`);
});

test("a definition that makes no sense is a problem of that server alone", async () => {
  putUser({
    a: "npx server",
    b: {},
    c: { command: "x", args: "y" },
    d: { command: "x", env: { A: 1 } },
    e: { url: "ftp://example.com" },
    f: { url: "https://example.com", headers: [] },
    g: { type: "sse", url: "https://example.com/sse" },
    "h h": { command: "x" },
  });
  const { servers } = await read();
  expect(servers.map(({ name, problem }) => `${name} ${problem}`)).toEqual([
    "a is not an object",
    "b has neither a 'command' nor a 'url'",
    "c has 'args' that are not a list of strings",
    "d has an 'env' that is not strings by name",
    "e has a 'url' that is not an http(s) address",
    "f has 'headers' that are not strings by name",
    "g uses the old SSE transport; give its streamable HTTP address",
    "h h has an invalid name",
  ]);
});

test("a broken list of the user is an error; one of the project a warning", async () => {
  put(join(place.project, ".mcp.json"), "{");
  expect(await read(true)).toEqual({
    servers: [],
    warnings: [
      `mcp: ${join(place.project, ".mcp.json")} is not JSON with {"mcpServers": {…}} (SYNTAX_ERROR)`,
    ],
  });
  put(paths().mcpFile, '{"mcpServers": []}');
  expect(read()).rejects.toThrow(`mcp: ${paths().mcpFile} is not JSON with {"mcpServers": {…}}`);
});

test("a project's servers need trust, which names them and notices a change", async () => {
  putProject({ files: { command: "x" }, "\u001b[2J": { command: "y" } });
  expect((await read()).servers).toEqual([]);
  const project = openProject({ cwd: place.project }, paths());
  expect(untrustedNotice(project)).toBe(
    "This project is not trusted, so these were not used: .mcp.json (MCP servers files, '\\u001b[2J'). To use them: omp trust, or --trust for one run.",
  );
  trustPlace(place);
  putProject({ files: { command: "evil" } });
  const { trustFile } = paths();
  expect(readTrust({ root: place.project, cwd: place.project, trustFile })).toEqual({
    state: "changed",
    wants: [".mcp.json (MCP server files)"],
    changes: [".mcp.json"],
  });
  expect((await read()).servers).toEqual([]);
});

test("a .mcp.json that is a link out of the project is not read", async () => {
  put(join(place.home, "other.json"), { mcpServers: { a: { command: "x" } } });
  symlinkSync(join(place.home, "other.json"), join(place.project, ".mcp.json"));
  expect(await read(true)).toEqual({
    servers: [],
    warnings: [
      `mcp: ${join(place.project, ".mcp.json")} is a link to a file outside the project (LINK_OUTSIDE)`,
    ],
  });
});

test("a project may not set servers in its settings", async () => {
  put(join(place.project, ".omp", "omp.jsonc"), { mcp: { servers: { a: { command: "x" } } } });
  expect(read(true)).rejects.toThrow(
    "may not set 'mcp.servers': a project's servers belong in its .mcp.json",
  );
});

test("values of variables and headers are not shown with the settings", async () => {
  const a = { command: "x", env: { KEY: "hidden-1" } };
  const b = { url: "https://example.com", headers: { authorization: "hidden-2" } };
  put(paths().settingsFile, { mcp: { servers: { a, b } } });
  const rows = await settingRows({ env: env(), cwd: place.project });
  expect(rows.find(({ key }) => key === "mcp.servers")).toMatchObject({
    origin: "global",
    value: {
      a: { command: "x", env: { KEY: "(not shown)" } },
      b: { url: "https://example.com", headers: { authorization: "(not shown)" } },
    },
  });
});
