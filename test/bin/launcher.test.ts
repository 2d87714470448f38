/** bin/omp in a checkout and in packages of its own: a stand-in for Bun prints what it was asked to run. */

import { beforeEach, describe, expect, test } from "bun:test";
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

/**
 * Prints what it was asked to run, with absolute paths of scripts, so that "/x/bin/.." is not in the way; of the set-up it does what
 * the real one is for: the bundle is newer then.
 */
const standIn = `#!/bin/sh
case $4 in */scripts/refresh.mjs) echo refresh >&2; exec touch "\${4%/scripts/*}/dist/bundle/main.js" ;; esac
for arg in "$@"; do [ -f "$arg" ] && arg=$(realpath "$arg"); printf "%s\\n" "$arg"; done
`;
const BUN = "@oven/bun-linux-x64/bin/bun";

const writeProgram = (path: string, text = standIn) => chmodSync(write(path, text), 0o755);

beforeEach(() => {
  root = join(temporaryDirectory(), "a checkout");
  place = temporaryPlace();
  mkdirSync(join(root, "bin"), { recursive: true });
  copyFileSync(launcher, join(root, "bin/omp"));
  write("package.json", "{}");
  write("src/cli/main.ts");
  write("src/kernel/zmtp/codec.ts");
  for (const source of sources) utimesSync(join(root, source), 1_000, 1_000);
  utimesSync(write("dist/bundle/main.js"), 2_000, 2_000);
  writeProgram(`node_modules/${BUN}`);
  write("node_modules/.package-lock.json");
  write("scripts/refresh.mjs");
});

const sources = ["package.json", "src/cli/main.ts", "src/kernel/zmtp/codec.ts"];

async function launch(command: string, args: readonly string[] = [], cwd = place.project) {
  const env = { PATH: `${join(root, "path")}:/usr/bin:/bin`, HOME: place.home };
  const child = Bun.spawn([command, ...args], { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, stderr, argv: stdout.split("\n").slice(0, -1) };
}

const flags = ["--no-env-file", "--config=/dev/null", "--tsconfig-override=/dev/null"];
const running = (path: string) => ({ exitCode: 0, stderr: "", argv: [...flags, join(root, path), "--"] });
const fromSource = () => running("src/cli/main.ts");
const fromBundle = () => running("dist/bundle/main.js");

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
  expect(await launch(join(links, "third"))).toEqual(fromBundle());
  expect(await launch("sh", ["third"], links)).toEqual(fromBundle());
  expect(await launch("./third", [], links)).toEqual(fromBundle());
});

test("it runs from inside its own directory", async () => {
  expect(await launch("sh", ["omp"], join(root, "bin"))).toEqual(fromBundle());
});

test("the bundle is run while no source is newer, else it is made again first", async () => {
  const command = join(root, "bin/omp");
  expect(await launch(command)).toEqual(fromBundle());
  for (const source of [
    ...sources,
    "prompts/tools/new.md",
    "src/kernel/python/new.py",
    "scripts/bundle.ts",
  ]) {
    write(source);
    utimesSync(join(root, "dist/bundle/main.js"), 2_000, 2_000);
    expect(await launch(command)).toEqual({ ...fromBundle(), stderr: "refresh\n" });
    expect(await launch(command)).toEqual(fromBundle());
    rmSync(join(root, source));
  }
});

test("the version alone is told by the sources when they are newer, and no bundle is made", async () => {
  write("src/cli/main.ts");
  const { argv, ...rest } = fromSource();
  expect(await launch(join(root, "bin/omp"), ["--version"])).toEqual({
    ...rest,
    argv: [...argv, "--version"],
  });
});

test("sources are run when no bundle could be made", async () => {
  rmSync(join(root, "dist"), { recursive: true });
  writeProgram(`node_modules/${BUN}`, standIn.replace("exec touch", "exit 0;"));
  expect(await launch(join(root, "bin/omp"))).toEqual({ ...fromSource(), stderr: "refresh\n" });
});

test("a set-up that fails is the end, with its exit code", async () => {
  write("src/cli/main.ts");
  writeProgram(`node_modules/${BUN}`, standIn.replace("exec touch", "exit 130;"));
  expect(await launch(join(root, "bin/omp"))).toEqual({ exitCode: 130, stderr: "refresh\n", argv: [] });
});

test("a checkout that is not set up is set up by node; without node it says what to do", async () => {
  rmSync(join(root, "node_modules"), { recursive: true });
  const modules = join(root, "node_modules");
  write("bun", standIn);
  writeProgram(
    "path/node",
    `#!/bin/sh\nmkdir -p '${modules}/${dirname(BUN)}'\ninstall -m755 '${root}/bun' '${modules}/${BUN}'\n`,
  );
  expect(await launch(join(root, "bin/omp"))).toEqual(fromBundle());
  // An npm that was interrupted has left a part of Bun.
  writeProgram(`node_modules/${BUN}`, "#!/bin/sh\nkill -SEGV $$\n");
  expect(await launch(join(root, "bin/omp"))).toEqual(fromBundle());
  rmSync(modules, { recursive: true });
  const env = { PATH: place.home };
  const { exitCode, stderr } = Bun.spawnSync(["/bin/sh", join(root, "bin/omp")], { env });
  expect([exitCode, stderr.toString()]).toEqual([
    1,
    `omp: not set up yet, and node is not on PATH; run 'npm start' once in ${root}/bin/.. (NOT_SET_UP)\n`,
  ]);
});

describe("installed as a package", () => {
  /** Where package managers put what omp depends on, seen from the directory that they install into. */
  const layouts = [
    ["npm install -g", "lib/node_modules/ompy", "lib/node_modules/ompy/node_modules"],
    ["npx, bun and yarn", "node_modules/ompy", "node_modules"],
    ["a dependency of a dependency", "node_modules/a/node_modules/ompy", "node_modules"],
    ["pnpm", "node_modules/.pnpm/ompy@1.0.0/node_modules/ompy", "node_modules/.pnpm/ompy@1.0.0/node_modules"],
  ] as const;

  function install(at: string, modules: string): string {
    root = join(temporaryDirectory(), "a prefix");
    mkdirSync(join(root, at, "bin"), { recursive: true });
    copyFileSync(launcher, join(root, at, "bin/omp"));
    write(`${at}/dist/package/main.js`);
    writeProgram(join(modules, BUN));
    // What the package `bun` has until its install script has run.
    writeProgram(join(modules, "bun/bin/bun.exe"), "#!/bin/sh\necho placeholder >&2\nexit 1\n");
    mkdirSync(join(root, "bin"), { recursive: true });
    symlinkSync(join("..", at, "bin/omp"), join(root, "bin/ompy"));
    return join(root, "bin/ompy");
  }

  test.each(layouts)("%s", async (_, at, modules) => {
    expect(await launch(install(at, modules))).toEqual(running(`${at}/dist/package/main.js`));
  });

  test("of several platforms' Bun the fitting one runs", async () => {
    const command = install("node_modules/ompy", "node_modules");
    const other = "#!/bin/sh\necho other >&2\nexit 1\n";
    writeProgram(`node_modules/${BUN}`, other);
    for (const name of ["darwin-x64", "darwin-aarch64", "linux-x64", "linux-aarch64"]) {
      const isOurs = name === `${process.platform}-${process.arch === "arm64" ? "aarch64" : process.arch}`;
      writeProgram(`node_modules/@oven/bun-${name}/bin/bun`, isOurs ? standIn : other);
    }
    expect(await launch(command)).toEqual(running("node_modules/ompy/dist/package/main.js"));
  });

  test("without any Bun it says what was left out", async () => {
    const command = install("node_modules/ompy", "node_modules");
    rmSync(join(root, "node_modules/@oven"), { recursive: true });
    expect(await launch(command)).toEqual({
      exitCode: 1,
      stderr:
        "omp: its Bun is missing: optional packages were left out, or there is none for this system; " +
        "run: npm install -g --include=optional ompy (NO_BUN)\n",
      argv: [],
    });
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
