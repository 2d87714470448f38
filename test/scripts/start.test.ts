/** `npm start` and `npm run build` in a checkout that nobody has set up. */

import { expect, test } from "bun:test";
import { copyFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyCheckout } from "../support/checkout-copy.ts";
import { temporaryDirectory, temporaryPlace } from "../support/home.ts";
import { slowFile } from "../support/limits.ts";
import { userEnvironment } from "../support/omp.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { indexOutOfReach, pathWith } from "../support/wheel.ts";

slowFile(60, "copies a checkout, sets it up and builds it");

const node = Bun.which("node") ?? "node";

async function run(argv: string[], options: { cwd: string; env: Record<string, string | undefined> }) {
  const child = Bun.spawn(argv, { ...options, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, stdout, stderr };
}

describeWithPython(testPython, "a checkout that is not set up", () => {
  const copy = copyCheckout();
  const place = temporaryPlace({ lasts: "file" });
  const path = pathWith({ python: testPython.path, python3: testPython.path, node });
  const variables = { ...indexOutOfReach, PATH: `${path}:/usr/bin:/bin`, INIT_CWD: place.project };
  const env = userEnvironment(place, variables);
  const start = (args: readonly string[], extra = {}) =>
    run([node, join(copy, "scripts/start.mjs"), ...args], { cwd: copy, env: { ...env, ...extra } });

  test("the first start does what is missing, the second finds nothing to do", async () => {
    const { version } = await import("../../package.json");
    expect(await start(["--version"])).toEqual({
      exitCode: 0,
      stdout: `${version}\n`,
      stderr: "omp set-up: bundling omp\n",
    });
    const second = await start(["--version"], { PI_DEBUG_STARTUP: "1" });
    expect(second.stderr).toMatch(/^omp set-up: checked in [\d.]+ ms; to do: nothing\n/);
    expect(statSync(join(copy, "dist/bundle/main.js")).mtimeMs).toBeGreaterThan(
      statSync(join(copy, "package.json")).mtimeMs,
    );
    expect(readdirSync(place.home)).toEqual([]);
  });

  test("omp runs in the user's directory, and its exit code is npm's", async () => {
    writeFileSync(join(place.project, "here.txt"), "");
    const input = JSON.stringify({ language: "bash", code: "ls" });
    const listed = await start(["tool", "exec", input]);
    expect([listed.exitCode, listed.stdout.trim()]).toEqual([0, "here.txt"]);
    expect((await start(["tool", "no-such-tool", "{}"])).exitCode).toBe(2);
  });

  test("a signal reaches omp, and its end is npm's", async () => {
    const child = Bun.spawn([node, join(copy, "scripts/start.mjs"), "tool", "--batch"], {
      cwd: copy,
      env,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
    });
    // An answer means that omp is up and listens.
    child.stdin.write('{"id":"1","name":"no-such-tool","input":{}}\n');
    child.stdin.flush();
    const reader = child.stdout.getReader();
    expect((await reader.read()).done).toBe(false);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(143);
  });

  test("npm run build makes one file that runs away from the checkout", async () => {
    const built = await run([process.execPath, "scripts/build.ts"], {
      cwd: copy,
      env,
    });
    expect(built.exitCode).toBe(0);
    const away = join(temporaryDirectory(), "omp");
    copyFileSync(join(copy, "dist/omp"), away);
    // Nothing of a project may get into omp's own runtime.
    writeFileSync(join(place.project, "bunfig.toml"), 'preload = ["./preload.ts"]\n');
    writeFileSync(join(place.project, "preload.ts"), 'console.log("preloaded");\n');
    writeFileSync(join(place.project, ".env"), "OMP_HOME=/nowhere\n");
    const { version } = await import("../../package.json");
    const told = { exitCode: 0, stdout: `${version}\n`, stderr: "" };
    expect(await run([away, "--version"], { cwd: place.project, env })).toEqual(told);
    const { stdout } = await run([away, "config", "path", "--json"], { cwd: place.project, env });
    expect(JSON.parse(stdout).global).toBe(join(place.home, ".omp/agent/omp.jsonc"));
  });
});
