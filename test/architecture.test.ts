/** Holds DESIGN's table of who may import whom, and the few rules of the house that a program can check. */

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { checkout } from "./support/omp.ts";

const src = join(checkout, "src");

/** Everyone may import `protocol`, `async` and `format`. `kernel` alone stands for its interface: kernel.ts, errors.ts and the like. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  async: [],
  format: [],
  config: [],
  output: ["process"],
  history: ["process"],
  models: [],
  agent: [],
  // Tools, models and kernels only as `protocol` has them.
  bridge: ["schema"],
  ui: [],
  process: [],
  python: ["process"],
  // What programs may write and reach; those that start programs see it as a `Confinement` of `process`.
  sandbox: ["process"],
  shell: ["process"],
  // The project's files over time, by git.
  worktree: ["process"],
  // Servers that omp uses and the one that it is: tools are known to it only by the protocol.
  mcp: ["process", "schema"],
  // Whether a value fits a JSON schema.
  schema: [],
  kernel: [],
  "kernel/zmtp": [],
  "kernel/jupyter": ["kernel", "kernel/python"],
  "kernel/python": [],
  "kernel/local": ["kernel", "kernel/zmtp", "kernel/jupyter", "kernel/python", "process"],
  // Somebody else's kernel is spoken to as one of ours is.
  "kernel/existing": ["kernel", "kernel/zmtp", "kernel/jupyter", "kernel/python", "kernel/local", "process"],
  "kernel/gateway": ["kernel", "kernel/jupyter", "kernel/python", "process"],
  "kernel/pool": ["kernel"],
  // A kernel's variables in a file.
  "kernel/variables": ["kernel", "kernel/python"],
  // Where kernels live and how they are opened: the one folder that knows every transport.
  "kernel/hosts": [
    "config",
    "kernel",
    "kernel/existing",
    "kernel/gateway",
    "kernel/local",
    "kernel/pool",
    "kernel/python",
    "process",
    "python",
  ],
  tools: ["kernel", "kernel/pool", "shell", "process", "output", "python"],
  app: [
    "agent",
    "bridge",
    "config",
    "history",
    "kernel",
    "kernel/hosts",
    "kernel/pool",
    "kernel/variables",
    "mcp",
    "models",
    "output",
    "process",
    "python",
    "sandbox",
    "schema",
    "shell",
    "tools",
    "worktree",
  ],
  // Each subcommand sees the room that it is about, and no other (ADR 8).
  commands: ["app"],
  "commands/artifact.ts": ["app", "config", "output"],
  "commands/config.ts": ["app", "config"],
  "commands/gateway.ts": ["app", "config", "kernel/gateway"],
  "commands/kernel.ts": ["app", "config", "kernel/hosts"],
  "commands/mcp.ts": ["app", "config"],
  "commands/mcp-login.ts": ["app", "config", "mcp"],
  "commands/mcp-serve.ts": ["app", "mcp"],
  "commands/models.ts": ["app", "config", "models"],
  "commands/sessions.ts": ["app", "config", "history", "output"],
  "commands/setup.ts": ["app", "config", "python"],
  "commands/setup-report.ts": ["python"],
  "commands/trust.ts": ["app", "config"],
  doctor: [
    "app",
    "config",
    "kernel",
    "kernel/gateway",
    "kernel/hosts",
    "models",
    "python",
    "sandbox",
    "shell",
    "tools",
  ],
  headless: ["app"],
  // Settings of the screen and the list of sessions are needed before a session is open.
  interactive: ["app", "config", "history", "ui"],
  cli: ["app", "commands", "doctor", "headless", "interactive"],
};

interface Source {
  readonly file: string;
  readonly folder: string;
  readonly text: string;
}

const sources: readonly Source[] = [...new Bun.Glob("**/*.{ts,tsx}").scanSync(src)].sort().map((file) => ({
  file: `src/${file}`,
  folder: folderOf(file),
  text: readFileSync(join(src, file), "utf8"),
}));

function folderOf(file: string): string {
  const [first = "", second = "", third] = file.split("/");
  if (second === "") return "";
  return first === "kernel" && third !== undefined ? `kernel/${second}` : first;
}

/** Static and dynamic imports, re-exports and types alike: `from "./x"`, `import "./x"`, `import("./x")`. */
function relativeImports(text: string): string[] {
  const specifiers = withoutComments(text).matchAll(
    /(?:\bfrom\s*|\bimport\s*\(\s*|\bimport\s+)["'](\.[^"']*)["']/g,
  );
  return [...specifiers].map((match) => match[1] ?? "");
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

/** A file's own row counts before that of its folder. */
function mayImport({ file, folder }: Source, to: string): boolean {
  if (folder === to || ["protocol", "async", "format"].includes(to)) return true;
  const rooms = allowed[file.slice("src/".length)] ?? allowed[folder] ?? [];
  return rooms.includes(to);
}

test("every folder of src has its row in the table, and every row a folder or a file", () => {
  const folders = new Set(sources.map(({ folder }) => folder).filter((folder) => folder !== ""));
  expect([...folders].filter((folder) => !(folder in allowed))).toEqual([]);
  const files = new Set(sources.map(({ file }) => file.slice("src/".length)));
  expect(Object.keys(allowed).filter((row) => !folders.has(row) && !files.has(row))).toEqual([]);
});

/** Files below src, without `src/`. Prompts and package.json are words and data, not code. */
function importedFiles({ file, text }: Pick<Source, "file" | "text">): string[] {
  return relativeImports(text)
    .map((specifier) => relative(src, resolve(checkout, dirname(file), specifier)))
    .filter((target) => !target.startsWith(".."));
}

test("folders import only what the table allows", () => {
  const broken = sources.flatMap((source) =>
    importedFiles(source)
      .filter((target) => !mayImport(source, folderOf(target)))
      .map((target) => `${source.file} -> src/${target}`),
  );
  expect(broken).toEqual([]);
});

test("no folder, at any depth, imports one that imports it, directly or by way of others", () => {
  const imports = new Map<string, Set<string>>();
  for (const source of sources) {
    const from = dirname(source.file);
    const folders = imports.get(from) ?? new Set<string>();
    for (const target of importedFiles(source)) folders.add(dirname(`src/${target}`));
    folders.delete(from);
    imports.set(from, folders);
  }
  expect(cyclesIn(imports)).toEqual([]);
});

test("the search for cycles finds one of any length", () => {
  const imports = new Map([
    ["a", new Set(["b"])],
    ["b", new Set(["c", "d"])],
    ["c", new Set(["a"])],
    ["d", new Set(["d/e"])],
    ["d/e", new Set(["f"])],
  ]);
  expect(cyclesIn(imports)).toEqual(["a -> b -> c -> a"]);
});

/** Each as the path that comes back to where it began. */
function cyclesIn(imports: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (folder: string, path: readonly string[]) => {
    if (path.includes(folder)) cycles.push([...path.slice(path.indexOf(folder)), folder].join(" -> "));
    if (done.has(folder)) return;
    done.add(folder);
    for (const next of imports.get(folder) ?? []) visit(next, [...path, folder]);
  };
  for (const folder of imports.keys()) visit(folder, []);
  return cycles;
}

test("the check sees every way to import", () => {
  const text = `
    import { a } from "./a.ts";
    import type { B } from '../b.ts';
    import "./c.ts";
    export * from "./d.ts";
    const e = await import("./e.ts");
    type F = typeof import("./f.ts");
    // import "./g.ts";
    /* import "./h.ts"; */`;
  expect(relativeImports(text)).toEqual(["./a.ts", "../b.ts", "./c.ts", "./d.ts", "./e.ts", "./f.ts"]);
});

test("kernel/jupyter knows no socket", () => {
  const sockets = /node:(?:net|tls|dgram|http)|Bun\.(?:connect|listen|udpSocket)|WebSocket/;
  expect(offenders(["kernel/jupyter"], sockets)).toEqual([]);
});

test("only cli ends the process", () => {
  expect(offenders(foldersBut("cli"), /\bprocess\s*\.\s*(?:exit|reallyExit|abort)\s*\(/)).toEqual([]);
});

test("the environment and the working directory are read only in config, python, app and what starts it", () => {
  const readers = foldersBut(
    "config",
    "python",
    "app",
    "commands",
    "doctor",
    "headless",
    "interactive",
    "cli",
  );
  expect(offenders(readers, /\bprocess\s*\.\s*env\b|\bBun\s*\.\s*env\b|\bprocess\s*\.\s*cwd\b/)).toEqual([]);
});

test("only src/async adds abort listeners", () => {
  expect(offenders(foldersBut("async"), /addEventListener\(\s*"abort"/)).toEqual([]);
});

test("nobody switches the compiler or the linter off", () => {
  expect(
    offenders(foldersBut(), /@ts-(?:ignore|expect-error|nocheck)|biome-ignore/, { comments: true }),
  ).toEqual([]);
});

test("no file is over 300 lines", () => {
  const long = sources
    .map(({ file, text }) => ({ file, lines: text.trimEnd().split("\n").length }))
    .filter(({ lines }) => lines > 300);
  expect(long).toEqual([]);
});

test("--version loads nothing but the version", () => {
  const main = sources.find(({ file }) => file === "src/cli/main.ts")?.text ?? "";
  const statically = [...withoutComments(main).matchAll(/^(?:import|export)\b[^"'(]*["']([^"']+)["']/gm)];
  expect(statically.map((match) => match[1])).toEqual(["../../package.json"]);
});

test("package-lock.json names no download addresses", () => {
  const lock: { packages: Record<string, Record<string, unknown>> } = JSON.parse(
    readFileSync(join(checkout, "package-lock.json"), "utf8"),
  );
  expect(Object.keys(lock.packages).filter((name) => "resolved" in (lock.packages[name] ?? {}))).toEqual([
    // A link to test/, where the packages that only tests need are named.
    "node_modules/omp-tests",
  ]);
});

test("package-lock.json has every platform of every package that comes in one package per platform", () => {
  const { packages } = JSON.parse(readFileSync(join(checkout, "package-lock.json"), "utf8"));
  const wanted = Object.values<{ optionalDependencies?: Record<string, string> }>(packages).flatMap((entry) =>
    Object.keys(entry.optionalDependencies ?? {}),
  );
  // npm ci refuses a lock in which one is missing.
  expect(wanted.filter((name) => !(`node_modules/${name}` in packages))).toEqual([]);
});

function foldersBut(...left: readonly string[]): string[] {
  return Object.keys(allowed).filter((folder) => !left.includes(folder));
}

function offenders(folders: readonly string[], pattern: RegExp, { comments = false } = {}): string[] {
  return sources
    .filter(({ folder }) => folders.includes(folder))
    .filter(({ text }) => pattern.test(comments ? text : withoutComments(text)))
    .map(({ file }) => file);
}
