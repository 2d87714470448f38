import { beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ToolContext, ToolResult } from "../../src/protocol/index.ts";
import { execTool } from "../../src/tools/exec.ts";
import { groupMembers, isRunning, pidIn } from "../support/processes.ts";
import { until } from "../support/until.ts";
import { call, type ScriptPlace, scriptPlace } from "./script-place.ts";

let place: ScriptPlace;
beforeEach(() => {
  place = scriptPlace();
});

function exec(input: unknown, context: Partial<ToolContext> = {}): Promise<ToolResult> {
  return call(execTool(place.services), input, place, context);
}

const bash = (code: string, more: Record<string, unknown> = {}) => exec({ language: "bash", code, ...more });

describe("the result", () => {
  test("is stdout, then stderr, then the exit code, and facts for scripts", async () => {
    const { output, isError, details } = await bash("echo out; echo err >&2; exit 3");
    expect(output).toBe("out\n[stderr]\nerr\nExit code: 3");
    expect(isError).toBe(true);
    const { durationMs, artifact, stderrArtifact, ...facts } = details;
    expect(facts).toEqual({
      exitCode: 3,
      signal: null,
      timedOut: false,
      cancelled: false,
      truncated: false,
      stdoutTruncated: false,
      stderrTruncated: false,
      totalBytes: 8,
      totalLines: 2,
      cwd: place.project,
      stdout: "out\n",
      stderr: "err\n",
      segments: [{ lines: 1 }, { lines: 1, note: "stderr:" }, { lines: 1 }, { lines: 1, note: "" }],
      success: false,
    });
    expect(durationMs).toBeNumber();
    expect([place.artifact(artifact), place.artifact(stderrArtifact)]).toEqual(["out\n", "err\n"]);
  });

  test("of a program that has nothing to say is said to be empty", async () => {
    const { output, isError, details } = await bash("");
    expect({ output, isError }).toEqual({ output: "(no output)", isError: false });
    expect(details.success).toBe(true);
  });

  test("names the signal that ended the program", async () => {
    const { output, details } = await bash("echo a; kill -SEGV $$");
    expect(output).toBe("a\nexec: Process was killed by SIGSEGV (SIGNAL)");
    expect([details.exitCode, details.signal]).toEqual([null, "SIGSEGV"]);
  });

  test("keeps line endings as they are", async () => {
    const { output, details } = await bash("printf 'a\\r\\nb\\rc\\n\\r\\nend\\r\\n'; printf 'e\\r\\n' >&2");
    expect(output).toBe("a\r\nb\rc\n\r\nend\n[stderr]\ne");
    expect(details).toMatchObject({ stdout: "a\r\nb\rc\n\r\nend\r\n", stderr: "e\r\n" });
  });

  test("streams while the program runs", async () => {
    let seen = "";
    const done = exec(
      { language: "bash", code: "echo first; until [ -e go ]; do sleep 0.01; done; echo second" },
      { onUpdate: (text) => (seen += text) },
    );
    await until("the first line has come", () => seen === "first\n");
    writeFileSync(join(place.project, "go"), "");
    expect((await done).output).toBe("first\nsecond");
    expect(seen).toBe("first\nsecond\n");
  });

  test("replaces bytes that are no text by a note; the artifact keeps them", async () => {
    const { output, isError, details } = await bash("head -c 3000 /bin/sh");
    expect(output).toMatch(
      /^\[binary output: 3,000 bytes, .*\]\n\[binary output not shown; full output: artifact/,
    );
    expect(isError).toBe(false);
    expect(place.artifact(details.artifact)).toContain("ELF");
  });

  test("says that processes were left running, and that they are no more", async () => {
    const { output, isError } = await bash("sleep 1000 & echo $$ > leader; echo started");
    expect(output).toBe("started\n[processes that were left running have been ended]");
    expect(isError).toBe(false);
    const leader = pidIn(join(place.project, "leader")) ?? 0;
    await until("the group is gone", () => groupMembers(leader).length === 0);
  });

  test("the same of processes that moved to another session", async () => {
    const { output } = await bash(
      "setsid sh -c 'echo $$ >fled; exec sleep 1000' >/dev/null 2>&1 & until [ -s fled ]; do :; done",
    );
    expect(output).toBe("[processes that were left running have been ended]");
    expect(isRunning(pidIn(join(place.project, "fled")) ?? 0)).toBe(false);
  });
});

describe("each language", () => {
  test.each([
    ["bash", "[[ a == a ]] && echo $((6 * 7))", "42"],
    ["javascript", "console.log(6 * 7, typeof require, process.argv.length)", "42 function 1"],
    ["python", "import sys; print(6 * 7, sys.argv, __name__)", "42 ['-c'] __main__"],
  ])("%s runs as it would from a command line", async (language, code, expected) => {
    expect((await exec({ language, code })).output).toBe(expected);
  });

  test.each([
    ["bash", "-x 2>/dev/null; echo $? $#", "127 0"],
    ["javascript", "-1; console.log('dash')", "dash"],
    ["python", "-1; print('dash')", "dash"],
  ])("%s takes code that begins with a dash", async (language, code, expected) => {
    expect((await exec({ language, code })).output).toBe(expected);
  });

  test.each(["bash", "javascript", "python"])("%s takes no code at all", async (language) => {
    const { output, isError } = await exec({ language, code: "" });
    expect({ output, isError }).toEqual({ output: "(no output)", isError: false });
  });

  // Longer than one argument may be; and it must see the same world as short code does.
  const filler = "x".repeat(300_000);
  test.each([
    ["bash", `x='${filler}'; echo "\${0##*/}" "$#" "\${#x}"`, "bash 0 300000"],
    [
      "javascript",
      `const x = "${filler}"; import("node:path").then(({ sep }) => console.log(process.argv.length, require("./mine.js"), sep, x.length))`,
      "1 mine / 300000",
    ],
    [
      "python",
      `x = "${filler}"\nimport sys, mine; print(sys.argv, __name__, len(x))`,
      "['-c'] __main__ 300000",
    ],
  ])("%s takes code of any length", async (language, code, expected) => {
    writeFileSync(join(place.project, "mine.js"), 'module.exports = "mine"');
    writeFileSync(join(place.project, "mine.py"), "");
    const { output, isError } = await exec({ language, code });
    expect({ output, isError }).toEqual({ output: expected, isError: false });
  });

  test("finds no input on stdin", async () => {
    expect((await bash("cat; echo end")).output).toBe("end");
    const input = await exec({ language: "python", code: "input()" });
    expect(input.output).toContain("EOFError");
  });
});

test("a long program's file is private while it runs and gone afterwards", async () => {
  const code = `# ${"x".repeat(200_000)}\nimport os, glob\n`;
  const look = `print([p for p in glob.glob(${JSON.stringify(join(tmpdir(), "omp-*/code.py"))}) if os.stat(p).st_mode & 0o77 == 0 and os.path.getsize(p) > 200000][0])`;
  const { output } = await exec({ language: "python", code: code + look });
  expect(output).toEndWith("/code.py");
  expect(existsSync(dirname(output))).toBe(false);
});

describe("the environment", () => {
  test("has no secrets", async () => {
    place = scriptPlace({ env: { OPENAI_API_KEY: "sk-1", MY_TOKEN: "t", LC_TIME: "C" } });
    const { output } = await bash('echo "[$OPENAI_API_KEY$MY_TOKEN] $LC_TIME"');
    expect(output).toBe("[] C");
  });
});

describe("a timeout", () => {
  test("keeps what was printed, says so in the agreed words, and is an error", async () => {
    const { output, isError, details } = await exec({
      language: "python",
      // Long enough for a Python to start on a machine that is busy with other tests.
      code: "import time; print('early'); time.sleep(1000)",
      timeout: 5,
    });
    expect(output).toBe("early\nCommand timed out after 5 seconds\nexec: Process timeout after 5s (TIMEOUT)");
    expect(isError).toBe(true);
    expect(details).toMatchObject({
      timedOut: true,
      cancelled: true,
      signal: "SIGTERM",
      exitCode: null,
      stdout: "early\n",
    });
    expect(details).toMatchObject({ code: "TIMEOUT", error: "exec: Process timeout after 5s (TIMEOUT)" });
  });

  test("out of range is clamped, and the result says so", async () => {
    // Whoever runs into it need not be quick.
    expect((await bash("exec sleep 1000", { timeout: 0 })).output).toBe(
      "Command timed out after 1 seconds\nexec: Process timeout after 1s (TIMEOUT)\n[timeout 0 is outside 1 to 600 seconds; 1 was used]",
    );
    expect((await bash("echo a", { timeout: 1e9 })).output).toBe(
      "a\n[timeout 1000000000 is outside 1 to 600 seconds; 600 was used]",
    );
  });
});

test("an abort ends the call with what was printed", async () => {
  const controller = new AbortController();
  const { output, isError, details } = await exec(
    { language: "bash", code: "echo early; exec sleep 1000" },
    { signal: controller.signal, onUpdate: () => controller.abort() },
  );
  expect(output).toBe("early\nexec: cancelled (CANCELLED)");
  expect(isError).toBe(true);
  expect(details).toMatchObject({ cancelled: true, timedOut: false });
});

describe("1 MB", () => {
  const mb = 1024 * 1024;
  const print = (characters: string, count: number, to: string) =>
    `yes ${characters} | head -c ${count} >&${to}; echo end-${to} >&${to}`;

  test("of stdout alone is shown whole", async () => {
    const { output, details } = await bash(print("a", mb - 10, "1"));
    expect(output.length).toBe(mb - 10 + "end-1".length);
    expect(details.truncated).toBe(false);
  });

  test("is cut in the middle, with start, end and where the whole is", async () => {
    const { output, details, isError } = await bash(`echo start; ${print("a", 3 * mb, "1")}; exit 3`);
    expect(output).toStartWith("start\na\n");
    expect(output).toMatch(/\[… [\d,]+ bytes cut here …\]/);
    const error = "exec: Output exceeded 1 MB; the middle is left out (OUTPUT_LIMIT)";
    expect(output).toMatch(
      /a\nend-1\n\[output cut: .*; full output: artifact:\/\/\w+\]\nexec: .*\nExit code: 3$/,
    );
    expect([isError, details["success"], details["error"]]).toEqual([true, false, error]);
    expect(output).toContain(`\n${error}\n`);
    expect(output.length).toBeLessThan(mb + 500);
    expect(output.length).toBeGreaterThan(mb - 500);
    expect(details).toMatchObject({ truncated: true, stdoutTruncated: true, stderrTruncated: false });
    expect(place.artifact(details.artifact).length).toBe(3 * mb + "start\nend-1\n".length);
  });

  test("is for both streams together: a short stderr stays whole", async () => {
    const { output, details } = await bash(`${print("a", 2 * mb, "1")}; echo short >&2`);
    expect(output).toContain("\n[stderr]\nshort\nexec: Output exceeded 1 MB");
    expect(output.length).toBeLessThan(mb + 500);
    expect(details).toMatchObject({ stdoutTruncated: true, stderrTruncated: false });
  });

  test("is halved where both are long", async () => {
    const { output, details } = await bash(`${print("a", 2 * mb, "1")}; ${print("b", 2 * mb, "2")}`);
    const [stdout = "", stderr = ""] = output.split("\n[stderr]\n");
    for (const [text, end] of [
      [stdout, "end-1"],
      [stderr, "end-2"],
    ] as const) {
      expect(text).toContain("\n[… cut here …]\n");
      expect(text).toMatch(
        new RegExp(`${end}\\n\\[output cut: .*; full output: artifact://\\w+\\](?:$|\\nexec)`),
      );
      expect(text.length).toBeLessThan(mb / 2 + 300);
      expect(text.length).toBeGreaterThan(mb / 2 - 300);
    }
    expect(details).toMatchObject({ stdoutTruncated: true, stderrTruncated: true, totalBytes: 4 * mb + 12 });
  });
});

describe("the working directory", () => {
  test("is the session's, or the one that is asked for", async () => {
    mkdirSync(join(place.project, "inner"));
    expect((await bash("pwd")).output).toBe(place.project);
    const { output, details } = await bash("pwd", { cwd: "inner" });
    expect([output, details.cwd]).toEqual([join(place.project, "inner"), join(place.project, "inner")]);
  });
});

describe("a call that cannot run is refused in one line, and nothing runs", () => {
  test.each([
    [{ language: "bash" }, "exec: field 'code' is required (INVALID_INPUT)"],
    [{ code: "echo" }, "exec: field 'language' is required (INVALID_INPUT)"],
    [
      { language: "ruby", code: "touch ran" },
      "exec: field 'language' must be one of bash, javascript, python, not 'ruby' (INVALID_INPUT)",
    ],
    [{ language: "bash", code: "touch ran", foo: 1 }, "exec: unknown field 'foo' (INVALID_INPUT)"],
    [
      { language: "bash", code: "touch ran", timeout: "9" },
      "exec: field 'timeout' must be a number, not a string (INVALID_INPUT)",
    ],
    [
      { language: "bash", code: "touch ran", timeout: null },
      "exec: field 'timeout' must be a number, not null (INVALID_INPUT)",
    ],
    [
      { language: "bash", code: "touch ran\0" },
      "exec: field 'code' must not contain a NUL character (INVALID_INPUT)",
    ],
    [
      { language: "bash", code: "touch ran", cwd: "/tmp/ghost/of/omp" },
      "exec: Working directory does not exist '/tmp/ghost/of/omp' (ENOENT)",
    ],
    [
      { language: "bash", code: "touch ran", cwd: "/etc/passwd" },
      "exec: Working directory is not a directory '/etc/passwd' (ENOTDIR)",
    ],
  ])("%j", async (input, line) => {
    const { output, isError, details } = await exec(input);
    expect({ output, isError }).toEqual({ output: line, isError: true });
    expect(details).toMatchObject({ success: false, error: line });
    expect(existsSync(join(place.project, "ran"))).toBe(false);
  });

  test.each([
    ["bash", "bash"],
    ["javascript", "node"],
    ["python", "python3"],
  ])("%s without its program", async (language, program) => {
    place = scriptPlace({ env: { PATH: "/nowhere" } });
    expect((await exec({ language, code: "" })).output).toBe(`exec: ${program} not found in PATH (ENOENT)`);
  });

  test("a python.interpreter that cannot be used is named, and no other is taken", async () => {
    place = scriptPlace({ setting: "/nowhere/python" });
    expect((await exec({ language: "python", code: "" })).output).toBe(
      "exec: the setting python.interpreter: /nowhere/python does not exist (ENOENT)",
    );
  });
});

test("the summary names the language and the code", () => {
  const tool = execTool(place.services);
  const check = tool.check({ language: "bash", code: "echo a\necho b" });
  expect(check.ok && tool.summary(check.input)).toBe("bash: echo a ⏎ echo b");
});
