import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openShells, type Shells } from "../../src/shell/shells.ts";
import { type Run, runner, shellEnv } from "../shell/open-shell.ts";
import { temporaryDirectory } from "../support/home.ts";
import { testSandbox } from "../support/sandbox.ts";
import { until } from "../support/until.ts";

let shells: Shells;
let run: Run;
let project: string;
let secret: string;

beforeAll(async () => {
  project = temporaryDirectory({ lasts: "file" });
  secret = join(temporaryDirectory({ lasts: "file" }), "secret");
  writeFileSync(secret, "the secret");
  const confinement = await testSandbox({ projectRoot: project }, { lasts: "file" });
  shells = openShells({ cwd: project, env: { ...shellEnv, HOME: project }, confinement });
  run = runner(shells);
});
afterAll(async () => {
  await shells.close();
});

test("a shell in the sandbox keeps its state, and has no other descriptors", async () => {
  await run("x=1; cd /tmp");
  expect(await run("echo $x $PWD; exec 251>&-; ls /proc/self/fd; cd ~-")).toMatchObject({
    stdout: "1 /tmp\n0\n1\n2\n3\n",
    exitCode: 0,
  });
  expect(await run("sh -c 'kill -SEGV $$'")).toMatchObject({ exitCode: 139, signal: "SIGSEGV" });
});

test("a command is stopped at its limit, and neither the shell nor an earlier job with it", async () => {
  await run("y=2; sleep 1000 & job=$!");
  expect(await run("sleep 1001 & sleep 1000", { timeoutMs: 1_500 })).toMatchObject({
    timedOut: true,
    replaced: false,
  });
  expect(
    (await run("echo $y; kill -0 $job && echo runs; pgrep -f 'sleep 1001' || echo gone; kill $job")).stdout,
  ).toBe("2\nruns\ngone\n");
  expect(await run("exec sleep 1000", { timeoutMs: 1_500 })).toMatchObject({
    timedOut: true,
    replaced: true,
  });
});

test("a shell that ends takes its jobs with it, and says how it ended", async () => {
  await run("z=3; sleep 1000 &");
  const killed = await run("kill -9 $$");
  expect(killed).toMatchObject({ exitCode: null, signal: "SIGKILL", replaced: true });
  expect(killed.notes).toEqual([
    "the shell was killed by SIGKILL; a new one took its place: directory, variables, functions and aliases are as they were before this command",
    "background jobs of the old shell have ended with it",
  ]);
  expect(await run("exit 137")).toMatchObject({ exitCode: 137, signal: null });
  expect((await run("echo $z")).stdout).toBe("3\n");
});

test("a background shell has the state of the persistent one, and is killed with all that it started", async () => {
  const shell = await shells.startBackground("echo $z; setsid sleep 4343 & sleep 1000");
  await until("it has printed", () => Buffer.from(shell.readNew().stdout.bytes).toString() === "3\n");
  await until("its programs run", () => shell.members().some(({ name }) => name === "sleep"));
  expect(await shell.kill()).toBe(true);
  expect([shell.status, shell.members()]).toEqual(["killed", []]);
  expect(Bun.spawnSync(["pgrep", "-f", "sleep 4343"]).stdout.toString()).toBe("");
});

test("what a program puts in place of omp's own files leads nowhere", async () => {
  const victim = join(temporaryDirectory(), "victim");
  mkdirSync(victim);
  const own = "$(echo /dev/shm/omp-shell-*)";
  // Links in place of the pipes of later commands, of the saved state and of what the next shell starts with.
  await run(`for n in 1 2 3; do ln -sf ${secret} ${own}/pipe-$n.out; ln -sf ${secret} ${own}/state-$n; done`);
  const shown = await Promise.all(
    [1, 2, 3].map(() => shells.startBackground("echo background").then((each) => each.ended)),
  );
  expect(shown.length).toBe(3);
  await run(
    `rm -f ${own}/start; ln -s ${victim}/start ${own}/start; ln -sf ${secret} ${own}/state-exit; kill -9 $$`,
  ).catch(() => undefined);
  const next = await run("echo next; declare -p").catch((error: Error) => ({ stdout: error.message }));
  expect(next.stdout).not.toContain("the secret");
  expect(readFileSync(secret, "utf8")).toBe("the secret");
  expect(Bun.spawnSync(["ls", "-A", victim]).stdout.toString()).toBe("");
});
