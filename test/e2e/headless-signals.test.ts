/** Interrupted, terminated, killed, left alone by the reader: nothing stays behind, and the session can be gone on with. */

import { beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { launcher, userEnvironment } from "../support/omp.ts";
import { isRunning, pidIn, processesWith } from "../support/processes.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { until } from "../support/until.ts";
import { AgentPlace, bash, linesOf, python } from "./agent-place.ts";

let omp: AgentPlace;
beforeEach(() => {
  omp = new AgentPlace();
});

const pidFile = (name: string) => pidIn(join(omp.project, name));
const nothingLeft = () =>
  until("everything that omp started is gone", () => processesWith(`HOME=${omp.place.home}`).length === 0);

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s ends a command with everything that it started", async (signal, exitCode) => {
  const model = omp.script({ text: "Wait.", toolCalls: [bash("sleep 1000 & echo $! > pid; wait")] });
  const child = omp.start(["-m", model, "go", "--output-format", "stream-json"]);
  const pid = await until("the command runs", () => pidFile("pid"));
  child.kill(signal);
  expect(await child.exited).toBe(exitCode);
  const lines = linesOf(await new Response(child.stdout).text());
  expect(lines.slice(-2)).toMatchObject([
    { type: "tool_result", is_error: true, details: { cancelled: true } },
    { type: "result", status: "interrupted", turns: 1 },
  ]);
  expect(await new Response(child.stderr).text()).not.toContain("    at ");
  await until("it is gone", () => !isRunning(pid));
  await nothingLeft();
});

describe.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s", (signal, exitCode) => {
  test("while the model thinks", async () => {
    const model = omp.script({ toolCalls: [bash("echo $$ > pid")] }, { text: "Late.", delayMs: 600_000 });
    const child = omp.start(["-m", model, "go"]);
    await until(
      "the first turn is over",
      () => omp.logs().length === 1 && omp.entries().some(({ type }) => type === "tool_result"),
    );
    child.kill(signal);
    expect(await child.exited).toBe(exitCode);
    expect(await new Response(child.stdout).text()).toBe("");
    expect(omp.entries().findLast(({ type }) => type === "end")).toMatchObject({ status: "interrupted" });
    await nothingLeft();
  });

  test("while it waits for the MCP server whose prompt it was given", async () => {
    const slow = { command: "sh", args: ["-c", "echo $$ > pid; exec sleep 1000"], cwd: omp.project };
    omp.settings({ mcp: { servers: { slow } } });
    const child = omp.start(["-m", omp.script(), "/slow:prompt", "--output-format", "json"]);
    await until("the server runs", () => pidFile("pid"));
    child.kill(signal);
    expect(await child.exited).toBe(exitCode);
    expect(linesOf(await new Response(child.stdout).text())).toMatchObject([
      { type: "result", status: "interrupted" },
    ]);
    await nothingLeft();
  });

  test("while it waits for stdin", async () => {
    const child = Bun.spawn([launcher, "-p", "-m", omp.script(), "hi", "--output-format", "json"], {
      cwd: omp.project,
      env: userEnvironment(omp.place, omp.env),
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    // Says after a while what it waits for: only then is it sure that it does.
    const said = await child.stderr.getReader().read();
    expect(new TextDecoder().decode(said.value)).toStartWith("omp: waiting for the end of stdin");
    child.kill(signal);
    expect(await child.exited).toBe(exitCode);
    expect(linesOf(await new Response(child.stdout).text())).toMatchObject([
      { type: "result", status: "interrupted", turns: 0 },
    ]);
  });
});

describeWithPython(testPython, "a kernel", () => {
  const endless = "import os, time\nopen('pid', 'w').write(f'{os.getpid()}\\n')\ntime.sleep(1000)";

  test("ends with an interrupted run", async () => {
    const child = omp.start(["-m", omp.script({ toolCalls: [python(endless)] }), "go"]);
    const pid = await until("the cell runs", () => pidFile("pid"));
    child.kill("SIGINT");
    expect(await child.exited).toBe(130);
    await until("it is gone", () => !isRunning(pid));
    await nothingLeft();
  });

  test("ends with a run that is killed, and the session can be gone on with", async () => {
    const child = omp.start(["-m", omp.script({ text: "Wait.", toolCalls: [python(endless)] }), "go"]);
    const pid = await until("the cell runs", () => pidFile("pid"));
    child.kill("SIGKILL");
    await child.exited;
    await until("the kernel is gone", () => !isRunning(pid));
    const { exitCode, stdout } = await omp.run(["-m", omp.script({ text: "On we go." }), "-c", "and now?"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "On we go.\n" });
    await nothingLeft();
  });
});

test("a second signal ends omp at once, and what it started is cleaned up behind it", async () => {
  const stubborn = bash("trap '' INT TERM; echo $$ > pid; while true; do sleep 1; done");
  const child = omp.start(["-m", omp.script({ toolCalls: [stubborn] }), "go"]);
  await until("the command runs", () => pidFile("pid"));
  child.kill("SIGINT");
  child.kill("SIGINT");
  expect(await child.exited).toBe(130);
  await nothingLeft();
});

test("background shells that still run are named and ended", async () => {
  // It is a copy of bash until it has become what it is named after.
  const left = "sleep 999 & until [ $(cat /proc/$!/comm) = sleep ]; do sleep 0.01; done";
  const model = omp.script(
    { toolCalls: [bash("echo $$ > pid; sleep 1000", { run_in_background: true }), bash(left)] },
    { text: "The server runs." },
  );
  const { exitCode, stdout, stderr } = await omp.run(["-m", model, "serve"]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: "The server runs.\n" });
  expect(stderr.split("\n")).toEqual([
    expect.stringMatching(
      /^omp: background shell \S+ was still running and has been stopped: echo \$\$ > pid; sleep 1000$/,
    ),
    expect.stringMatching(/^omp: .*sleep.*, left running with &, was stopped$/),
    "",
  ]);
  await nothingLeft();
});

describe("a reader that leaves", () => {
  test("in the middle of a stream: the run is stopped, without a word and without success", async () => {
    const model = omp.script(
      // It goes on printing: that nobody reads is only noticed by who writes.
      { text: "one two three", toolCalls: [bash("sleep 1000 & while true; do echo on; sleep 0.05; done")] },
      { text: "never" },
    );
    const script = '"$0" -p -m "$1" --output-format stream-json go | head -1; echo "$PIPESTATUS"';
    const { stdout, stderr } = await omp.inShell(script, model);
    const [first = "", exitCode] = stdout.trim().split("\n");
    expect(JSON.parse(first)).toMatchObject({ type: "init" });
    expect({ exitCode, stderr }).toEqual({ exitCode: "1", stderr: "" });
    await nothingLeft();
  });

  test("of a long answer: nobody has it", async () => {
    const model = omp.script({ text: "word ".repeat(100_000) });
    const script = 'set -o pipefail; "$0" -p -m "$1" go | head -c 9';
    expect(await omp.inShell(script, model)).toEqual({ exitCode: 1, stdout: "word word", stderr: "" });
  });
});

test("a hang-up does not end what nohup started", async () => {
  const model = omp.script(
    { toolCalls: [bash("echo $PPID > pid; until [ -e go ]; do sleep 0.01; done")] },
    { text: "Still here." },
  );
  const script =
    'nohup "$0" -p -m "$1" go & until [ -s pid ]; do sleep 0.01; done; kill -HUP $!; touch go; wait $!';
  expect(await omp.inShell(script, model)).toMatchObject({ exitCode: 0, stdout: "Still here.\n" });
});

test("a full disk behind stdout is told", async () => {
  const child = Bun.spawn([launcher, "-p", "-m", omp.script({ text: "Hello." }), "hi"], {
    cwd: omp.project,
    env: userEnvironment(omp.place, omp.env),
    stdin: "ignore",
    stdout: Bun.file("/dev/full"),
    stderr: "pipe",
  });
  expect(await new Response(child.stderr).text()).toBe("omp: cannot write to stdout (ENOSPC)\n");
  expect(await child.exited).toBe(1);
});
