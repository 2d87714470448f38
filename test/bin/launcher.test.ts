/** bin/omp in a checkout of its own: a stand-in for Bun prints what it was asked to run. */

import { beforeEach, expect, test } from "bun:test";
import { chmodSync, copyFileSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestPlace, temporaryDirectory, temporaryPlace } from "../support/home.ts";
import { launcher, omp } from "../support/omp.ts";

let root: string;
let place: TestPlace;

function write(path: string, text = ""): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

beforeEach(() => {
  root = join(temporaryDirectory(), "a checkout");
  place = temporaryPlace();
  mkdirSync(join(root, "bin"), { recursive: true });
  copyFileSync(launcher, join(root, "bin/omp"));
  write("package.json", "{}");
  write("src/cli/main.ts");
  write("src/kernel/zmtp/codec.ts");
  // Absolute paths of scripts, so that "/x/bin/.." is not in the way.
  const bun =
    '#!/bin/sh\nfor arg in "$@"; do [ -f "$arg" ] && arg=$(realpath "$arg"); printf "%s\\n" "$arg"; done\n';
  chmodSync(write("node_modules/bun/bin/bun.exe", bun), 0o755);
});

async function launch(command: string, args: readonly string[] = [], cwd = place.project) {
  const env = { PATH: process.env["PATH"], HOME: place.home };
  const child = Bun.spawn([command, ...args], { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, stderr, argv: stdout.split("\n").slice(0, -1) };
}

const flags = ["--no-env-file", "--config=/dev/null", "--tsconfig-override=/dev/null"];
const fromSource = () => ({ exitCode: 0, stderr: "", argv: [...flags, join(root, "src/cli/main.ts"), "--"] });
const fromBundle = () => ({
  exitCode: 0,
  stderr: "",
  argv: [...flags, join(root, "dist/bundle/main.js"), "--"],
});

test("arguments arrive as they were given", async () => {
  const { argv } = await launch(join(root, "bin/omp"), ["-p", "two  words", "", "*"]);
  // The first `--` is Bun's.
  expect(argv.slice(flags.length + 1)).toEqual(["--", "-p", "two  words", "", "*"]);
});

test("a chain of links, absolute and relative, leads to the checkout", async () => {
  const links = join(temporaryDirectory(), "my links");
  mkdirSync(links);
  symlinkSync(join(root, "bin/omp"), join(links, "first"));
  symlinkSync("first", join(links, "second"));
  symlinkSync("../my links/second", join(links, "third"));
  expect(await launch(join(links, "third"))).toEqual(fromSource());
  expect(await launch("sh", ["third"], links)).toEqual(fromSource());
  expect(await launch("./third", [], links)).toEqual(fromSource());
});

test("it runs from inside its own directory", async () => {
  expect(await launch("sh", ["omp"], join(root, "bin"))).toEqual(fromSource());
});

test("the bundle is run while no source is newer", async () => {
  const bundle = write("dist/bundle/main.js");
  const sources = ["package.json", "src/cli/main.ts", "src/kernel/zmtp/codec.ts"];
  for (const source of sources) utimesSync(join(root, source), 1_000, 1_000);
  utimesSync(bundle, 2_000, 2_000);
  expect(await launch(join(root, "bin/omp"))).toEqual(fromBundle());
  for (const source of sources) {
    utimesSync(join(root, source), 3_000, 3_000);
    expect(await launch(join(root, "bin/omp"))).toEqual(fromSource());
    utimesSync(join(root, source), 1_000, 1_000);
  }
});

test("a checkout that is not set up says what to do", async () => {
  rmSync(join(root, "node_modules"), { recursive: true });
  expect(await launch(join(root, "bin/omp"))).toEqual({
    exitCode: 1,
    stderr: `omp: not set up yet; run 'npm start' once in ${root}/bin/.. (NOT_SET_UP)\n`,
    argv: [],
  });
});

test("the real one tells its version, and the project's .env, bunfig.toml and tsconfig.json are not read", async () => {
  writeFileSync(join(place.project, "bunfig.toml"), 'preload = ["./preload.ts"]\n');
  writeFileSync(join(place.project, "preload.ts"), 'console.log("preloaded");\n');
  const paths = { "*": ["./preload.ts"], "./*": ["./preload.ts"] };
  writeFileSync(join(place.project, "tsconfig.json"), JSON.stringify({ compilerOptions: { paths } }));
  writeFileSync(join(place.project, ".env"), "OMP_HOME=/nowhere\n");
  const { version } = await import("../../package.json");
  expect(await omp(["--version"], { place })).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: "" });
  const { stdout } = await omp(["config", "path", "--json"], { place });
  expect(JSON.parse(stdout).global).toBe(join(place.home, ".omp/agent/omp.jsonc"));
});
