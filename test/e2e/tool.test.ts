import { beforeEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { launcher, omp, userEnvironment } from "../support/omp.ts";
import { groupMembers, pidIn } from "../support/processes.ts";
import { until } from "../support/until.ts";

let place: TestPlace;
beforeEach(() => {
  place = temporaryPlace();
});

function start(args: string[]) {
  return Bun.spawn([launcher, ...args], {
    cwd: place.project,
    env: userEnvironment(place),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
}

const input = (code: string) => JSON.stringify({ language: "bash", code });

test("a call prints its output and ends with the right code", async () => {
  expect(await omp(["tool", "exec", input("echo hi; echo err >&2")], { place })).toEqual({
    exitCode: 0,
    stdout: "hi\n[stderr]\nerr\n",
    stderr: "",
  });
  expect((await omp(["tool", "exec", input("exit 1")], { place })).exitCode).toBe(1);
  expect((await omp(["tool", "nothing"], { place })).exitCode).toBe(2);
  expect((await omp(["tool", "exec", "{"], { place })).exitCode).toBe(2);
});

test("what a call leaves in the home is private", async () => {
  await omp(["tool", "exec", input("echo hi")], { place });
  const { stdout } = Bun.spawnSync(["find", join(place.home, ".omp"), "-perm", "/077"]);
  expect(existsSync(join(place.home, ".omp"))).toBe(true);
  expect(stdout.toString()).toBe("");
});

test("a megabyte of output arrives whole, and a reader that leaves early is no error", async () => {
  const long = input("head -c 1000000 /dev/zero | tr '\\0' a");
  expect((await omp(["tool", "exec", long], { place })).stdout).toBe(`${"a".repeat(1_000_000)}\n`);
  const script = '"$0" tool exec "$1" | head -c 3';
  const shell = Bun.spawn(["bash", "-o", "pipefail", "-c", script, launcher, long], {
    cwd: place.project,
    env: userEnvironment(place),
    stdout: "pipe",
    stderr: "pipe",
  });
  expect(await new Response(shell.stdout).text()).toBe("aaa");
  expect(await new Response(shell.stderr).text()).toBe("");
  expect(await shell.exited).toBe(0);
});

test("a batch answers each line before it needs the next", async () => {
  const child = start(["tool", "--batch"]);
  const reader = child.stdout.getReader();
  for (const id of [1, 2, 3]) {
    child.stdin.write(
      `${JSON.stringify({ id, name: "exec", input: { language: "bash", code: `echo ${id}` } })}\n`,
    );
    child.stdin.flush();
    const { value } = await reader.read();
    expect(JSON.parse(new TextDecoder().decode(value))).toMatchObject({ id, output: String(id) });
  }
  child.stdin.end();
  expect((await reader.read()).done).toBe(true);
  expect(await child.exited).toBe(0);
});

describe("a signal", () => {
  // The command says where it is, then waits for ever.
  const stuck = input("echo $$ > leader; sleep 1000 & wait");

  async function leaderOf(): Promise<number> {
    return await until("the command runs", () => pidIn(join(place.project, "leader")));
  }

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s ends the running call, cleans up, and gives exit code %i", async (signal, exitCode) => {
    const child = start(["tool", "exec", stuck, "--json"]);
    const leader = await leaderOf();
    child.kill(signal);
    expect(await child.exited).toBe(exitCode);
    expect(JSON.parse(await new Response(child.stdout).text())).toMatchObject({
      is_error: true,
      output: "exec: cancelled (CANCELLED)",
      details: { cancelled: true },
    });
    expect(await new Response(child.stderr).text()).toBe("");
    await until("the group is gone", () => groupMembers(leader).length === 0);
  });

  test("stops a batch: the rest is not run", async () => {
    const child = start(["tool", "--batch"]);
    const line = (id: number, call: string) => `{"id":${id},"name":"exec","input":${call}}\n`;
    child.stdin.write(line(1, stuck) + line(2, input("touch ran")));
    child.stdin.flush();
    await leaderOf();
    child.kill("SIGINT");
    expect(await child.exited).toBe(130);
    const results = (await new Response(child.stdout).text()).trim().split("\n");
    expect(results.map((text) => JSON.parse(text).id)).toEqual([1]);
    expect(existsSync(join(place.project, "ran"))).toBe(false);
  });

  test("ends a batch that waits for its next line", async () => {
    const child = start(["tool", "--batch"]);
    child.stdin.write('{"id":1,"name":"exec","input":{"language":"bash","code":"echo 1"}}\n');
    child.stdin.flush();
    await child.stdout.getReader().read();
    child.kill("SIGTERM");
    expect(await child.exited).toBe(143);
  });

  test("SIGKILL of omp leaves neither the command's processes nor the temporary file", async () => {
    const code = [
      "import os, subprocess, time",
      "subprocess.Popen(['sleep', '1000'])",
      "open('where', 'w').write(__file__)",
      "open('leader', 'w').write(str(os.getpid()) + '\\n')",
      "time.sleep(1000)",
    ].join("\n");
    const child = start(["tool", "python_run", JSON.stringify({ code })]);
    const leader = await leaderOf();
    const directory = dirname(await Bun.file(join(place.project, "where")).text());
    expect(existsSync(directory)).toBe(true);
    child.kill("SIGKILL");
    await child.exited;
    await until("the group is gone", () => groupMembers(leader).length === 0);
    await until("the file is gone", () => !existsSync(directory));
  });
});
