import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { closeShells } from "../shell/open-shell.ts";
import { until } from "../support/until.ts";
import { shellTools } from "./bash-tools.ts";

afterEach(closeShells);

const calm = { signal: null, timedOut: false, cancelled: false, truncated: false };

describe("bash", () => {
  test("shows the output, and tells the facts", async () => {
    const { bash, cwd, artifacts, updates } = shellTools();
    const { details, ...shown } = await bash("echo hello; printf 'no newline'");
    expect(shown).toEqual({ isError: false, output: "hello\nno newline" });
    const { artifact, durationMs, ...facts } = details;
    expect(facts).toEqual({ ...calm, exitCode: 0, totalBytes: 16, totalLines: 2, cwd });
    expect(durationMs).toBeGreaterThanOrEqual(0);
    expect(readFileSync(artifacts.find(artifact ?? "") ?? "", "utf8")).toBe("hello\nno newline");
    expect(updates.join("")).toBe("hello\nno newline");
  });

  test("keeps its state from call to call", async () => {
    const { bash, cwd } = shellTools();
    await bash("mkdir sub; cd sub; x=1");
    expect(await bash("pwd; echo $x")).toMatchObject({
      output: `${cwd}/sub\n1`,
      details: { cwd: `${cwd}/sub` },
    });
  });

  test("a failure is an error with its exit code, and stderr is in it and apart", async () => {
    const { bash } = shellTools();
    const result = await bash("echo out; echo err >&2; sh -c 'exit 3'");
    expect(result.isError).toBe(true);
    expect(result.output.split("\n").sort()).toEqual(["Exit code: 3", "err", "out"]);
    expect(result.details).toMatchObject({ exitCode: 3, stdout: "out\n", stderr: "err\n" });
    expect(await bash("sh -c 'kill -ABRT $$' 2>/dev/null")).toMatchObject({
      isError: true,
      details: { exitCode: 134, signal: "SIGABRT" },
    });
  });

  test("no output is said, and what ended the shell, too", async () => {
    const { bash } = shellTools();
    expect(await bash("true")).toMatchObject({ isError: false, output: "(no output)" });
    expect(await bash("exit 2")).toMatchObject({
      isError: true,
      output:
        "Exit code: 2\n[the command ended the shell; a new one took its place with the same directory, variables, functions and aliases]",
      details: { exitCode: 2, shellReplaced: true },
    });
    const killed = await bash("kill -9 $$");
    expect(killed.isError).toBe(true);
    expect(killed.output).toStartWith("bash: ended by SIGKILL (SIGNAL)\n[the shell was killed by SIGKILL; ");
  });

  test("a timeout says so after what was captured", async () => {
    const { bash } = shellTools();
    const result = await bash("echo early; sleep 1000", { timeout: 3_000 });
    expect(result).toMatchObject({
      isError: true,
      output: "early\nCommand timed out after 3 seconds",
      details: { exitCode: null, timedOut: true, cancelled: true, signal: "SIGINT" },
    });
  });

  test("a timeout out of range is clamped, and the result says so", async () => {
    const { bash } = shellTools();
    expect((await bash("echo x", { timeout: 600_001 })).output).toBe(
      "x\n[timeout 600001 is outside 1000 to 600000 milliseconds; 600000 was used]",
    );
    // Whoever runs into it need not be quick.
    expect((await bash("sleep 1000", { timeout: 5 })).output).toBe(
      "Command timed out after 1 seconds\n[timeout 5 is outside 1000 to 600000 milliseconds; 1000 was used]",
    );
    expect((await bash("echo x", { timeout: "5" })).output).toBe(
      "bash: field 'timeout' must be a number, not a string (INVALID_INPUT)",
    );
  });

  test("an abort is told", async () => {
    const { call } = shellTools();
    const controller = new AbortController();
    const result = await call(
      "bash",
      { command: "echo early; sleep 1000" },
      { signal: controller.signal, onUpdate: () => controller.abort() },
    );
    expect(result).toMatchObject({
      isError: true,
      output: "early\nbash: cancelled (CANCELLED)",
      details: { cancelled: true, timedOut: false },
    });
  });

  test("long output is cut to its end, and the whole is an artifact", async () => {
    const { bash, artifacts } = shellTools();
    const { output, details } = await bash("seq 1 10000");
    const lines = output.split("\n");
    expect(lines.slice(0, 1)).toEqual(["8001"]);
    expect(lines.slice(-2, -1)).toEqual(["10000"]);
    expect(lines.at(-1)).toContain(`full output: artifact://${details.artifact}`);
    expect(details).toMatchObject({ truncated: true, totalLines: 10_000, totalBytes: 48_894 });
    const all = readFileSync(artifacts.find(details.artifact ?? "") ?? "", "utf8");
    expect(all).toBe(Array.from({ length: 10_000 }, (_, index) => `${index + 1}\n`).join(""));
  });

  test("two streams never cut each other's characters", async () => {
    const { bash, cwd } = shellTools();
    const wait = (name: string) => `until [ -e ${name} ]; do :; done`;
    const running = bash(
      `printf '\\xc3'; touch a; ${wait("b")}; printf 'E' >&2; touch c; ${wait("d")}; printf '\\xbc'`,
    );
    await until("half a character is written", () => existsSync(join(cwd, "a")));
    writeFileSync(join(cwd, "b"), "");
    await until("the other stream has written", () => existsSync(join(cwd, "c")));
    writeFileSync(join(cwd, "d"), "");
    expect([...(await running).output].sort()).toEqual(["E", "ü"]);
  });

  test("`cwd` is for one call, relative to the session's directory, and must exist", async () => {
    const { bash, cwd } = shellTools();
    mkdirSync(join(cwd, "a b"));
    expect(await bash("pwd", { cwd: "a b" })).toMatchObject({ output: `${cwd}/a b`, details: { cwd } });
    expect(await bash("pwd", { cwd: "nowhere" })).toMatchObject({
      isError: true,
      output: `bash: Working directory does not exist '${cwd}/nowhere' (ENOENT)`,
    });
  });

  test("output of a background job of an earlier command is shown apart", async () => {
    const { bash, cwd } = shellTools();
    await bash("(until [ -e go ]; do sleep 0.01; done; echo late; touch written) &");
    writeFileSync(join(cwd, "go"), "");
    await until("it has written", () => existsSync(join(cwd, "written")));
    expect((await bash("echo next")).output).toBe(
      "[background jobs have written 5 bytes since the last command, the end of which is:]\nlate\n[end of it]\nnext",
    );
  });

  test("an input that misses the schema runs nothing", async () => {
    const { call, rehearse, registry } = shellTools();
    expect((await call("bash", {})).output).toBe("bash: field 'command' is required (INVALID_INPUT)");
    expect((await call("bash", { command: "a\0b" })).output).toBe(
      "bash: field 'command' must not contain a NUL character (INVALID_INPUT)",
    );
    expect(await rehearse("bash", { command: "rm x\nrm y" })).toBe("[Dry Run] Would execute: rm x ⏎ rm y");
    expect(registry.get("bash")?.concurrency).toBe("exclusive");
  });

  test("a pager, an editor or a question never waits for a key", async () => {
    const { bash } = shellTools();
    expect(
      (await bash('echo "$PAGER $GIT_PAGER $TERM $GIT_TERMINAL_PROMPT $DEBIAN_FRONTEND"; $EDITOR file'))
        .output,
    ).toBe("cat cat dumb 0 noninteractive");
  });
});

describe("bash in the background", () => {
  test("returns at once with an id", async () => {
    const { bash, cwd, shells } = shellTools();
    const { details, ...shown } = await bash("sleep 1000", { run_in_background: true, description: "wait" });
    const { artifact, ...facts } = details;
    expect(facts).toEqual({
      shellId: "bash_1",
      status: "running",
      cwd,
      segments: [{ lines: 1, note: "" }],
    });
    expect(shown).toEqual({
      isError: false,
      output: `Started in the background as bash_1. Read its output with bash_output, end it with kill_shell; all of it is kept in artifact://${artifact}.`,
    });
    expect(shells.background.get("bash_1")?.command).toBe("sleep 1000");
  });

  test("a time limit holds there, too", async () => {
    const { bash, call, shells } = shellTools();
    // Whoever runs into it need not be quick.
    const { output } = await bash("sleep 1000", { run_in_background: true, timeout: 5 });
    expect(output.split("\n").slice(1)).toEqual([
      "It is ended after 1 second.",
      "[timeout 5 is outside 1000 to 600000 milliseconds; 1000 was used]",
    ]);
    await shells.background.get("bash_1")?.ended;
    expect(shells.background.takeAnnouncements()).toEqual([
      "background shell bash_1 was ended at its limit of 1 second: sleep 1000",
    ]);
    const look = await call("bash_output", { bash_id: "bash_1" });
    expect(look.output).toMatch(/^bash_1: killed at its time limit, [\d.]+ s\n/);
    expect(look.details).toMatchObject({ status: "killed", timedOut: true, cancelled: true });
  });

  test("starts where the shell is, or in `cwd`", async () => {
    const { bash, shells, cwd } = shellTools();
    mkdirSync(join(cwd, "sub"));
    await bash("cd sub");
    await bash("true", { run_in_background: true });
    await bash("true", { run_in_background: true, cwd: "." });
    expect(shells.background.list().map((shell) => shell.cwd)).toEqual([`${cwd}/sub`, cwd]);
  });
});
