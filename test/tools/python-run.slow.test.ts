import { beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ToolContext, ToolResult } from "../../src/protocol/index.ts";
import { pythonRunTool } from "../../src/tools/python-run.ts";
import { groupMembers } from "../support/processes.ts";
import { until } from "../support/until.ts";
import { call, type ScriptPlace, scriptPlace } from "./script-place.ts";

let place: ScriptPlace;
beforeEach(() => {
  place = scriptPlace();
});

function tool(scriptTimeoutSeconds = 60) {
  return pythonRunTool({ ...place.services, scriptTimeoutSeconds });
}

function run(input: unknown, context: Partial<ToolContext> = {}): Promise<ToolResult> {
  return call(tool(), input, place, context);
}

function script(name: string, code: string): string {
  const path = join(place.project, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, code);
  return path;
}

describe("code", () => {
  test("runs as a script, and the result has its output, exit code and facts", async () => {
    const code = "import sys\nprint(__name__, sys.argv[1:])\nprint('err', file=sys.stderr)\nsys.exit(4)";
    const { output, isError, details } = await run({ code, args: ["a b", "$HOME", "-x"] });
    expect(output).toBe("__main__ ['a b', '$HOME', '-x']\n[stderr]\nerr\nExit code: 4");
    expect(isError).toBe(true);
    const { durationMs, artifact, stderrArtifact, ...facts } = details;
    expect(facts).toEqual({
      exitCode: 4,
      signal: null,
      timedOut: false,
      cancelled: false,
      truncated: false,
      stdoutTruncated: false,
      stderrTruncated: false,
      totalBytes: 36,
      totalLines: 2,
      cwd: place.project,
      stdout: "__main__ ['a b', '$HOME', '-x']\n",
      stderr: "err\n",
      segments: [{ lines: 1 }, { lines: 1, note: "stderr:" }, { lines: 1 }, { lines: 1, note: "" }],
      success: false,
      interpreter: (await place.services.findInterpreter()).found?.path,
    });
    expect(durationMs).toBeNumber();
    expect(place.artifact(artifact)).toBe("__main__ ['a b', '$HOME', '-x']\n");
    expect(place.artifact(stderrArtifact)).toBe("err\n");
  });

  test("keeps no state, needs no keyboard, and has no PYTHON* variable or user site", async () => {
    place = scriptPlace({ env: { PYTHONPATH: "/somewhere", PYTHONOPTIMIZE: "2" } });
    await run({ code: "x = 1" });
    expect((await run({ code: "print(x)" })).output).toContain("NameError");
    expect((await run({ code: "import sys; print(repr(sys.stdin.read()))" })).output).toBe("''");
    const flags = "print(f.ignore_environment, f.no_user_site, f.optimize, '/somewhere' in sys.path)";
    expect((await run({ code: `import sys; f = sys.flags; ${flags}` })).output).toBe("1 1 0 False");
  });

  test("is in a private file while it runs, which is gone afterwards", async () => {
    const code =
      "import os; d = os.path.dirname(__file__); print(oct(os.stat(__file__).st_mode), oct(os.stat(d).st_mode), d)";
    const [file, directory, path = "/"] = (await run({ code })).output.split(" ");
    expect([file, directory]).toEqual(["0o100600", "0o40700"]);
    expect(existsSync(path)).toBe(false);
  });

  test("of a megabyte, with every kind of letter, runs as well", async () => {
    const { output } = await run({ code: `x = "${"é".repeat(500_000)}"\nprint(len(x), "🐍", "日本")` });
    expect(output).toBe("500000 🐍 日本");
  });

  test("goes before file, and the result says so", async () => {
    script("other.py", "print('file')");
    const { output } = await run({ code: "print('code')", file: "other.py" });
    expect(output).toBe("code\n[both code and file were given: code was run, file was not]");
  });

  test("that is empty counts as not given", async () => {
    script("other.py", "print('file')");
    expect((await run({ code: "", file: "other.py" })).output).toBe("file");
    expect((await run({ code: "" })).output).toBe(
      "python_run: requires either 'code' or 'file' (INVALID_INPUT)",
    );
  });
});

describe("file", () => {
  test("is relative to the session's directory, runs in the project's root, and takes arguments", async () => {
    script("sub/a.py", "import os, sys; print(os.getcwd(), sys.argv[1:], os.path.basename(__file__))");
    const cwd = join(place.project, "sub");
    expect((await run({ file: "a.py", args: ["1"] }, { cwd })).output).toBe(`${place.project} ['1'] a.py`);
  });

  test("is relative to cwd where one is given", async () => {
    script("sub/a.py", "import os; print(os.getcwd())");
    expect((await run({ file: "a.py", cwd: "sub" })).output).toBe(join(place.project, "sub"));
  });

  test("imports what is beside it", async () => {
    script("sub/a.py", "import mine; print(mine.x)");
    script("sub/mine.py", "x = 7");
    expect((await run({ file: "@project/sub/a.py" })).output).toBe("7");
  });

  test("of the project cannot be outside of it", async () => {
    const outside = join(place.project, "..", "outside.py");
    writeFileSync(outside, "print('ran')");
    symlinkSync(outside, join(place.project, "link.py"));
    expect((await run({ file: "@project/../outside.py" })).output).toBe(
      "python_run: '@project/../outside.py' must not contain '..' (OUTSIDE_PROJECT)",
    );
    expect((await run({ file: "@project/link.py" })).output).toBe(
      "python_run: '@project/link.py' leads out of the project (OUTSIDE_PROJECT)",
    );
  });
});

describe("long output", () => {
  test("is cut after the first 50,000 and 10,000 characters, with flags and the whole in artifacts", async () => {
    const code = "import sys; print('o' * 60000); print('e' * 20000, file=sys.stderr)";
    const { output, isError, details } = await run({ code });
    const [stdout = "", stderr = ""] = output.split("\n[stderr]\n");
    const cut = (kept: string) => new RegExp(`^${kept}\\n\\[output cut: .*artifact://\\w+\\]$`);
    expect(stdout).toMatch(cut("o{50000}"));
    expect(stderr).toMatch(cut("e{10000}"));
    expect(isError).toBe(false);
    expect(details).toMatchObject({ truncated: true, stdoutTruncated: true, stderrTruncated: true });
    expect(place.artifact(details.artifact)).toBe(`${"o".repeat(60_000)}\n`);
    expect(place.artifact(details["stderrArtifact"])).toBe(`${"e".repeat(20_000)}\n`);
  });

  test("at the limit is whole", async () => {
    const { output, details } = await run({ code: "print('o' * 50000, end='')" });
    expect(output).toBe("o".repeat(50_000));
    expect(details.stdoutTruncated).toBe(false);
  });
});

describe("a timeout", () => {
  test("ends the script and its children, keeps the output, and removes the file", async () => {
    const code = [
      "import os, signal, subprocess, time",
      "child = subprocess.Popen(['sleep', '1000'])",
      "print(os.getpid(), os.path.dirname(__file__))",
      "time.sleep(1000)",
    ].join("\n");
    const { output, isError, details } = await run({ code, timeout: 5 });
    const [first = "", ...rest] = output.split("\n");
    const [pid, directory = "/"] = first.split(" ");
    expect(rest).toEqual([
      "Command timed out after 5 seconds",
      "python_run: Script exceeded timeout (5s) (PYTHON_TIMEOUT)",
    ]);
    expect(isError).toBe(true);
    expect(details).toMatchObject({ timedOut: true, cancelled: true, exitCode: null, signal: "SIGTERM" });
    expect(existsSync(directory)).toBe(false);
    await until("the group is gone", () => groupMembers(Number(pid)).length === 0);
  });

  test("kills a script that does not heed SIGTERM", async () => {
    const code =
      "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(1)";
    const { details } = await run({ code, timeout: 5 });
    expect(details).toMatchObject({ timedOut: true, signal: "SIGKILL" });
  });

  test("is the setting's unless the call names one; more than the setting allows is clamped", async () => {
    const field = (seconds: number) => JSON.stringify(tool(seconds).inputSchema["properties"]);
    expect(field(60)).toContain('"minimum":1,"maximum":600,"default":60');
    expect(field(3600)).toContain('"minimum":1,"maximum":3600,"default":3600');
    expect((await run({ code: "print(1)", timeout: 601 })).output).toBe(
      "1\n[timeout 601 is outside 1 to 600 seconds; 600 was used]",
    );
  });
});

test("an abort ends the script and removes the file", async () => {
  const controller = new AbortController();
  const code = "import os, time; print(os.path.dirname(__file__)); time.sleep(1000)";
  const context = { signal: controller.signal, onUpdate: () => controller.abort() };
  const { output, details } = await run({ code }, context);
  const [directory = "/", line] = output.split("\n");
  expect(line).toBe("python_run: cancelled (CANCELLED)");
  expect(details).toMatchObject({ cancelled: true, timedOut: false });
  expect(existsSync(directory)).toBe(false);
});

describe("a missing module", () => {
  test("comes with the command that installs it for this interpreter", async () => {
    const { output } = await run({ code: "import no_such_module.inner" });
    const python = (await place.services.findInterpreter()).found?.path;
    expect(output).toEndWith(
      `Exit code: 1\nHint: module 'no_such_module' is not installed for this interpreter; install it with: ${python} -m pip install no_such_module`,
    );
  });

  test("is seen also behind more stderr than is shown", async () => {
    const { output } = await run({
      code: "import sys; print('e' * 30000, file=sys.stderr); import no_such_module",
    });
    expect(output).toContain("Hint: module 'no_such_module'");
  });

  test("gets no hint when the script went on without it", async () => {
    const code =
      "import traceback\ntry:\n  import no_such_module\nexcept ImportError:\n  traceback.print_exc()";
    const { output, isError } = await run({ code });
    expect(output).not.toContain("Hint");
    expect(isError).toBe(false);
  });
});

describe("a call that cannot run is refused in one line", () => {
  test.each([
    [{}, "requires either 'code' or 'file' (INVALID_INPUT)"],
    [{ code: 1 }, "field 'code' must be a string, not a number (INVALID_INPUT)"],
    [{ code: "1", args: "a" }, "field 'args' must be an array, not a string (INVALID_INPUT)"],
    [{ code: "1", args: ["a", 1] }, "field 'args[1]' must be a string, not a number (INVALID_INPUT)"],
    [{ code: "1", args: ["\0"] }, "field 'args[0]' must not contain a NUL character (INVALID_INPUT)"],
    [{ code: "1", path: "x" }, "unknown field 'path' (INVALID_INPUT)"],
    [{ code: "1", timeout: true }, "field 'timeout' must be a number, not a boolean (INVALID_INPUT)"],
    [
      { code: "1", cwd: "/tmp/ghost/of/omp" },
      "Working directory does not exist '/tmp/ghost/of/omp' (ENOENT)",
    ],
    [{ code: "1", cwd: "/etc/passwd" }, "Working directory is not a directory '/etc/passwd' (ENOTDIR)"],
    [{ file: "/tmp/ghost/of/omp.py" }, "File does not exist '/tmp/ghost/of/omp.py' (ENOENT)"],
  ])("%j", async (input, issue) => {
    const { output, isError } = await run(input);
    expect({ output, isError }).toEqual({ output: `python_run: ${issue}`, isError: true });
  });

  test("no interpreter: the line says where omp looked", async () => {
    place = scriptPlace({ env: { PATH: "/nowhere" } });
    const { output, details } = await run({ code: "1" });
    expect(output).toStartWith("python_run: no Python interpreter found (.venv: ");
    expect(output).toEndWith("'omp setup' makes one (PYTHON_NOT_FOUND)");
    expect(output).not.toContain("\n");
    expect(details).toEqual({ success: false, error: output, code: "PYTHON_NOT_FOUND" });
  });

  test("an interpreter that does not start", async () => {
    const broken = script("broken-python", "not a program");
    chmodSync(broken, 0o700);
    place = { ...place, services: scriptPlace({ setting: broken }).services };
    expect((await run({ code: "1" })).output).toBe(
      `python_run: ${broken} could not be started: ENOEXEC (PYTHON_EXEC_FAILED)`,
    );
  });

  test("more arguments than the system takes", async () => {
    const { output } = await run({ code: "1", args: ["x".repeat(3_000_000)] });
    expect(output).toBe("python_run: arguments and environment are too long: E2BIG (PYTHON_EXEC_FAILED)");
  });
});
