import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { sharedWatchdog } from "../../src/process/watchdog.ts";
import { findRipgrep, runRipgrep, type Search } from "../../src/tools/ripgrep.ts";
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
    services: { home: directory, searchPath: process.env["PATH"] },
    separator: "\n",
    onRecord: () => true,
    ...more,
  }).catch((error: unknown) => String(error));
}

test("the packaged program is found, and needs no install script", () => {
  const path = findRipgrep(undefined);
  expect(path).toStartWith(join(checkout, "node_modules", "@vscode", "ripgrep-"));
  expect(Bun.spawnSync([path ?? "", "--version"]).stdout.toString()).toStartWith("ripgrep ");
});

/** A program that prints what `findRipgrep` finds, built the way omp is: as a bundle, and as a single file. */
const entry = `
  import { findRipgrep } from ${JSON.stringify(join(checkout, "src/tools/ripgrep.ts"))};
  console.log(findRipgrep(process.argv[2] ?? "") ?? "none");`;

async function build(options: { compile: boolean }): Promise<string> {
  const source = join(directory, "entry.ts");
  writeFileSync(source, entry);
  mkdirSync(join(directory, "dist", "bundle"), { recursive: true });
  const outfile = join(directory, "dist", "omp");
  const result = await Bun.build({
    entrypoints: [source],
    target: "bun",
    minify: true,
    ...(options.compile
      ? { compile: { outfile } }
      : { outdir: join(directory, "dist", "bundle"), naming: { entry: "main.js" } }),
  });
  expect(result.success).toBe(true);
  return options.compile ? outfile : join(directory, "dist", "bundle", "main.js");
}

const said = (argv: string[]) => Bun.spawnSync(argv, { env: {} }).stdout.toString().trim();

test.each([{ compile: false }, { compile: true }])(
  "it is found from a build (%j) inside a checkout; else the one in PATH; else none",
  async (options) => {
    const built = await build(options);
    const argv = options.compile ? [built] : [process.execPath, built];
    expect(said(argv)).toBe("none");
    program("exit 0");
    expect(said([...argv, directory])).toBe(join(directory, "rg"));
    const name = `ripgrep-${process.platform}-${process.arch}`;
    const carrier = join(directory, "node_modules", "@vscode", name);
    mkdirSync(join(directory, "node_modules", "@vscode"), { recursive: true });
    symlinkSync(resolve(checkout, "node_modules", "@vscode", name), carrier);
    expect(said([...argv, directory])).toBe(join(carrier, "bin", "rg"));
  },
);

test("it is found beside the single file", async () => {
  const built = await build({ compile: true });
  cpSync(findRipgrep(undefined) ?? "", join(directory, "dist", "rg"));
  expect(said([built])).toBe(join(directory, "dist", "rg"));
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
  ["kill -SEGV $$", "ToolError: grep: ripgrep was ended by SIGSEGV (SIGNAL)"],
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
