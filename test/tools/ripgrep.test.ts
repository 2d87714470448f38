import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { withRipgrep } from "../../scripts/lib/bundling.ts";
import { sharedWatchdog } from "../../src/process/watchdog.ts";
import { findRipgrep } from "../../src/tools/find-ripgrep.ts";
import { runRipgrep, type Search } from "../../src/tools/ripgrep.ts";
import { temporaryDirectory } from "../support/home.ts";
import { checkout } from "../support/omp.ts";
import { isRunning, pidIn } from "../support/processes.ts";
import { until } from "../support/until.ts";

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => sharedWatchdog().close());

/** Stands in for ripgrep where a test needs it to be slow, or to fail. */
function program(script: string): string {
  const path = join(directory, "rg");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

function search(more: Partial<Search>): Promise<unknown> {
  return runRipgrep({
    operation: "grep",
    args: [],
    target: "./",
    cwd: directory,
    signal: new AbortController().signal,
    services: { home: directory, searchPath: process.env["PATH"], cache: directory },
    separator: "\n",
    onRecord: () => true,
    ...more,
  }).catch((error: unknown) => String(error));
}

test("the packaged program is found, and needs no install script", () => {
  const path = findRipgrep({ searchPath: undefined, cache: directory });
  expect(path).toStartWith(join(checkout, "node_modules", "@vscode", "ripgrep-"));
  expect(version(path ?? "")).toStartWith("ripgrep ");
});

const version = (path: string) => Bun.spawnSync([path, "--version"]).stdout.toString();

/** A program that prints what `findRipgrep` finds, and its version. */
const entry = `
  import { findRipgrep } from ${JSON.stringify(join(checkout, "src/tools/find-ripgrep.ts"))};
  const [searchPath, cache] = process.argv.slice(2);
  const path = findRipgrep({ searchPath, cache: cache ?? "" }) ?? "none";
  console.log(path);
  if (cache) console.log(Bun.spawnSync([path, "--version"]).stdout.toString().split(" ")[0]);`;

async function build(options: Partial<Bun.BuildConfig>): Promise<void> {
  const source = join(directory, "entry.ts");
  writeFileSync(source, entry);
  const result = await Bun.build({ target: "bun", minify: true, ...options, entrypoints: [source] });
  expect(result.success).toBe(true);
}

const said = (argv: string[], env = {}) => Bun.spawnSync(argv, { env }).stdout.toString().trim().split("\n");

test("from a bundle it is found in its own node_modules, or in those that it is in; else the one in PATH; else none", async () => {
  const home = join(directory, "node_modules", "ompy");
  await build({ outdir: join(home, "dist", "package"), naming: { entry: "main.js" } });
  const argv = [process.execPath, join(home, "dist", "package", "main.js")];
  expect(said(argv)).toEqual(["none"]);
  program("exit 0");
  expect(said([...argv, directory])).toEqual([join(directory, "rg")]);
  const name = `ripgrep-${process.platform}-${process.arch}`;
  for (const modules of [join(directory, "node_modules"), join(home, "node_modules")]) {
    const carrier = join(modules, "@vscode", name);
    mkdirSync(join(modules, "@vscode"), { recursive: true });
    symlinkSync(resolve(checkout, "node_modules", "@vscode", name), carrier);
    expect(said([...argv, directory])).toEqual([join(carrier, "bin", "rg")]);
  }
});

test("the one inside a single file is copied, privately, to be run; where that is impossible, for this process only", async () => {
  const single = join(directory, "single");
  const inside = findRipgrep({ searchPath: undefined, cache: directory }) ?? "";
  await build({ plugins: [withRipgrep(inside)], compile: { outfile: single } });
  const [cache, temporary] = [join(directory, "cache"), join(directory, "temporary")];
  mkdirSync(temporary);
  mkdirSync(cache);
  writeFileSync(join(cache, "rg-older"), "");
  const first = said([single, directory, cache]);
  expect(first).toEqual([expect.stringContaining(join(cache, "rg-")), "ripgrep"]);
  expect([readdirSync(cache).length, statSync(first[0] ?? "").mode & 0o777]).toEqual([1, 0o700]);
  expect(said([single, directory, cache])).toEqual(first);
  const unwritable = join(single, "no-directory");
  const other = said([single, directory, unwritable], { TMPDIR: temporary });
  expect(other).toEqual([expect.stringContaining(join(temporary, "omp-rg-")), "ripgrep"]);
  expect(readdirSync(temporary)).toEqual([]);
});

test("an abort ends it", async () => {
  const controller = new AbortController();
  const running = search({ program: program("echo $$ > pid; exec sleep 1000"), signal: controller.signal });
  const pid = await until("it runs", () => pidIn(join(directory, "pid")));
  controller.abort();
  expect(await running).toBe("ToolError: grep: cancelled (CANCELLED)");
  await until("it is gone", () => !isRunning(pid));
});

test("it is ended when enough was seen", async () => {
  const seen: string[] = [];
  const outcome = await search({
    program: program("echo a; echo b; echo c; exec sleep 1000"),
    onRecord: (record) => seen.push(record) < 2,
  });
  expect(outcome).toEqual({ complete: false, notice: undefined, timedOut: false });
  expect(seen).toEqual(["a", "b"]);
});

test("at the time limit it is ended, with what was found until then", async () => {
  const seen: string[] = [];
  const outcome = await search({
    program: program("echo a; exec sleep 1000"),
    timeoutMs: 2_000,
    onRecord: (record) => seen.push(record) > 0,
  });
  expect(outcome).toEqual({
    complete: false,
    notice: "Command timed out after 2 seconds: search in a smaller directory",
    timedOut: true,
  });
  expect(seen).toEqual(["a"]);
});

test.each([
  ["echo 'rg: something odd' >&2; exit 2", "ToolError: grep: something odd (SEARCH_FAILED)"],
  ["kill -SEGV $$", "ToolError: grep: ripgrep was killed by SIGSEGV (SIGNAL)"],
])("%s is told in one line", async (script, line) => {
  expect(await search({ program: program(script) })).toBe(line);
});

test("what could not be read is a notice when there are results", async () => {
  const script = "echo a; echo 'rg: ./locked: Permission denied (os error 13)' >&2; exit 2";
  expect(await search({ program: program(script) })).toEqual({
    complete: true,
    notice: "not searched: locked: Permission denied (os error 13)",
    timedOut: false,
  });
});
