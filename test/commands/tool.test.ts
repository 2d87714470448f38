import { beforeEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runTool, type ToolOptions } from "../../src/commands/tool.ts";
import { type TestPlace, temporaryPlace, trustPlace } from "../support/home.ts";
import { userEnvironment } from "../support/omp.ts";

let place: TestPlace;
beforeEach(() => {
  place = temporaryPlace();
});

async function tool(
  options: ToolOptions,
  {
    stdin = "",
    cwd = place.project,
    env = {},
  }: { stdin?: string; cwd?: string; env?: Record<string, string> } = {},
) {
  let stdout = "";
  let stderr = "";
  const io = {
    stdout: (text: string) => {
      stdout += text;
    },
    stderr: (text: string) => {
      stderr += text;
    },
    stdin: new Blob([stdin]).stream(),
  };
  const exitCode = await runTool(options, io, { env: userEnvironment(place, env), cwd });
  return { exitCode, stdout, stderr };
}

const bash = (code: string) => JSON.stringify({ language: "bash", code });

describe("the list", () => {
  test("for people has a name, a sentence and the fields of each tool", async () => {
    const { exitCode, stdout, stderr } = await tool({}, { env: { PI_PYTHON_SKIP_CHECK: "1" } });
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /^exec +Run code in a fresh process and return its output and exit code\.\n +\{language, code, cwd\?, timeout\?\}$/m,
    );
    expect(stdout).toMatch(/^python_run +Run a Python script/m);
  });

  const names = async (env: Record<string, string>) => {
    const { stdout, stderr } = await tool({ json: true }, { env });
    return { names: (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name), stderr };
  };

  test("is without the hand that PI_PY takes away", async () => {
    const skip = { PI_PYTHON_SKIP_CHECK: "1" };
    const both = (await names(skip)).names;
    expect(both).toContainValues(["python", "bash", "bash_output", "kill_shell"]);
    const shell = ["bash", "bash_output", "kill_shell"];
    expect((await names({ ...skip, PI_PY: "py" })).names).toEqual(
      both.filter((name) => !shell.includes(name)),
    );
    expect((await names({ PI_PY: "0" })).names).toEqual(both.filter((name) => name !== "python"));
  });

  test("is without python where that cannot work, and the reason is told", async () => {
    const offered = await names({ VIRTUAL_ENV: "", PATH: "/nowhere" });
    expect(offered.names).not.toContain("python");
    expect(offered.stderr).toStartWith("python: no Python found");
  });

  test("is complete, with a warning, when PI_PY means nothing", async () => {
    const offered = await names({ PI_PYTHON_SKIP_CHECK: "1", PI_PY: "perhaps" });
    expect(offered.names).toContainValues(["python", "bash"]);
    expect(offered.stderr).toContain("PI_PY must be");
  });

  test("as JSON has every schema", async () => {
    const { exitCode, stdout } = await tool({ json: true });
    expect(exitCode).toBe(0);
    const list: { name: string; description: string; inputSchema: object }[] = JSON.parse(stdout);
    const exec = list.find(({ name }) => name === "exec");
    expect(Object.keys(exec ?? {})).toEqual(["name", "description", "inputSchema"]);
    expect(exec?.inputSchema).toMatchObject({
      type: "object",
      required: ["language", "code"],
      additionalProperties: false,
    });
    expect(stdout).not.toContain("$schema");
    for (const { name } of list) expect(name).toMatch(/^[a-zA-Z0-9_-]+$/);
  });
});

describe("one call", () => {
  test("prints the output, and a newline after it", async () => {
    expect(await tool({ name: "exec", input: bash("printf hi") })).toEqual({
      exitCode: 0,
      stdout: "hi\n",
      stderr: "",
    });
  });

  test("with --json prints one object", async () => {
    const { exitCode, stdout } = await tool({ name: "exec", input: bash("echo hi; exit 3"), json: true });
    expect(exitCode).toBe(1);
    const result = JSON.parse(stdout);
    expect(Object.keys(result)).toEqual(["name", "is_error", "output", "details"]);
    expect(result).toMatchObject({
      name: "exec",
      is_error: true,
      output: "hi\nExit code: 3",
      details: { exitCode: 3, cwd: place.project },
    });
  });

  test("reads its input from stdin for -, and takes none as {}", async () => {
    expect((await tool({ name: "exec", input: "-" }, { stdin: `${bash("echo stdin")}\n` })).stdout).toBe(
      "stdin\n",
    );
    expect(await tool({ name: "exec" })).toEqual({
      exitCode: 1,
      stdout: "exec: field 'language' is required (INVALID_INPUT)\n",
      stderr: "",
    });
  });

  test("that misses the schema is a tool error: exit 1", async () => {
    expect(await tool({ name: "exec", input: "[1]" })).toEqual({
      exitCode: 1,
      stdout: "exec: input must be a JSON object, not an array (INVALID_INPUT)\n",
      stderr: "",
    });
  });

  test("of no tool, or with no JSON, is bad usage: one line, exit 2, and stdout stays empty", async () => {
    expect(await tool({ name: "exce", input: "{}" })).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: "omp tool: unknown tool 'exce'; did you mean 'exec'? (UNKNOWN_TOOL)\n",
    });
    const unknown = await tool({ name: "zzzzzzzz", json: true });
    expect(unknown).toMatchObject({ exitCode: 2, stdout: "" });
    expect(unknown.stderr).toMatch(
      /^omp tool: unknown tool 'zzzzzzzz'; use one of .*exec.* \(UNKNOWN_TOOL\)\n$/,
    );
    for (const input of ["{", "", "hello", "-"]) {
      const bad = await tool({ name: "exec", input });
      expect(bad).toMatchObject({ exitCode: 2, stdout: "" });
      expect(bad.stderr).toMatch(/^omp tool: input is not JSON: .+ \(INVALID_JSON\)\n$/);
    }
  });

  test("of a tool that PI_PY takes away says so", async () => {
    const issue = "the tool 'python' is switched off here (python.toolMode, PI_PY)";
    const env = { PI_PY: "bash" };
    const stderr = `omp tool: ${issue} (UNKNOWN_TOOL)\n`;
    expect(await tool({ name: "python" }, { env })).toEqual({ exitCode: 2, stdout: "", stderr });
    const batch = await tool({ batch: true }, { env, stdin: '{"name":"python"}' });
    expect(JSON.parse(batch.stdout).output).toBe(`omp tool: line 1: ${issue} (UNKNOWN_TOOL)`);
  });

  test("with --dry-run says what would run, and runs nothing", async () => {
    expect(await tool({ name: "exec", input: bash("touch ran"), dryRun: true })).toEqual({
      exitCode: 0,
      stdout: "[Dry Run] Would execute: bash: touch ran\n",
      stderr: "",
    });
    expect(existsSync(join(place.project, "ran"))).toBe(false);
    expect((await tool({ name: "exec", input: "{}", dryRun: true })).exitCode).toBe(1);
  });

  test("with settings that cannot be read runs nothing: one line, exit 2", async () => {
    mkdirSync(join(place.project, ".omp"));
    writeFileSync(join(place.project, ".omp/omp.jsonc"), '{"nonsense": 1}');
    trustPlace(place);
    const { exitCode, stdout, stderr } = await tool({ name: "exec", input: bash("touch ran") });
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^settings: .*nonsense.*\(UNKNOWN_KEY\)\n$/);
    expect(existsSync(join(place.project, "ran"))).toBe(false);
  });

  test("takes its time limit for scripts from the settings", async () => {
    mkdirSync(join(place.project, ".omp"));
    writeFileSync(join(place.project, ".omp/omp.jsonc"), '{"python": {"scriptTimeout": 1}}');
    trustPlace(place);
    const input = JSON.stringify({ code: "import time; time.sleep(1000)" });
    expect(await tool({ name: "python_run", input })).toMatchObject({
      exitCode: 1,
      stdout:
        "Command timed out after 1 seconds\npython_run: Script exceeded timeout (1s) (PYTHON_TIMEOUT)\n",
    });
  });

  test("of a project script finds the project's root from below", async () => {
    mkdirSync(join(place.project, ".git"));
    mkdirSync(join(place.project, "deep"));
    writeFileSync(join(place.project, "a.py"), "import os; print(os.getcwd())");
    const options = { name: "python_run", input: '{"file":"@project/a.py"}' };
    expect(await tool(options, { cwd: join(place.project, "deep") })).toEqual({
      exitCode: 0,
      stdout: `${place.project}\n`,
      stderr: "",
    });
  });
});

describe("a batch", () => {
  async function batch(...lines: string[]) {
    const { exitCode, stdout, stderr } = await tool({ batch: true }, { stdin: lines.join("\n") });
    expect(stderr).toBe("");
    return {
      exitCode,
      results: stdout
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    };
  }
  const exec = (id: unknown, code: string) =>
    JSON.stringify({ id, name: "exec", input: { language: "bash", code } });

  test("runs its lines in order, and gives each result its id", async () => {
    const { exitCode, results } = await batch(
      exec(1, "echo a >> log; echo one"),
      "",
      exec({ any: "json" }, "cat log"),
      `${exec("three", "echo three")}\r`,
    );
    expect(exitCode).toBe(0);
    expect(results.map(({ id, name, is_error, output }) => ({ id, name, is_error, output }))).toEqual([
      { id: 1, name: "exec", is_error: false, output: "one" },
      { id: { any: "json" }, name: "exec", is_error: false, output: "a" },
      { id: "three", name: "exec", is_error: false, output: "three" },
    ]);
    expect(Object.keys(results[0])).toEqual(["id", "name", "is_error", "output", "details"]);
  });

  test("goes on after an error, and ends with 1", async () => {
    const { exitCode, results } = await batch(
      exec(1, "exit 9"),
      exec(2, "echo on"),
      '{"id":3,"name":"exec"}',
    );
    expect(exitCode).toBe(1);
    expect(results.map(({ output }) => output)).toEqual([
      "Exit code: 9",
      "on",
      "exec: field 'language' is required (INVALID_INPUT)",
    ]);
  });

  test("answers lines that are no calls as well, goes on, and ends with 2", async () => {
    const { exitCode, results } = await batch(
      "{nonsense",
      "[1]",
      '{"id":"x"}',
      '{"id":"y","name":7}',
      '{"id":"z","name":"exce"}',
      exec(null, "echo still here"),
    );
    expect(exitCode).toBe(2);
    const said = (id: unknown, name: string | null, line: number, issue: string, code: string) => ({
      id,
      name,
      is_error: true,
      output: `omp tool: line ${line}: ${issue} (${code})`,
      details: { line, code },
    });
    expect(results[0]).toMatchObject({ id: null, name: null, is_error: true, details: { line: 1 } });
    expect(results[0].output).toMatch(/^omp tool: line 1: not JSON: .+ \(INVALID_JSON\)$/);
    expect(results.slice(1, 5)).toEqual([
      said(null, null, 2, 'not an object; expected {"id","name","input"}', "INVALID_INPUT"),
      said("x", null, 3, "field 'name' is required", "INVALID_INPUT"),
      said("y", null, 4, "field 'name' must be a string", "INVALID_INPUT"),
      said("z", "exce", 5, "unknown tool 'exce'", "UNKNOWN_TOOL"),
    ]);
    expect(results[5]).toMatchObject({ id: null, is_error: false, output: "still here" });
  });

  test("of nothing is done at once", async () => {
    expect(await batch()).toEqual({ exitCode: 0, results: [] });
  });

  test("rehearses with --dry-run", async () => {
    const { stdout } = await tool({ batch: true, dryRun: true }, { stdin: exec(1, "touch ran") });
    expect(JSON.parse(stdout)).toEqual({
      id: 1,
      name: "exec",
      is_error: false,
      output: "[Dry Run] Would execute: bash: touch ran",
      details: { dryRun: true, command: "touch ran" },
    });
    expect(existsSync(join(place.project, "ran"))).toBe(false);
  });

  test("takes no tool from the command line", async () => {
    expect(await tool({ batch: true, name: "exec" })).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: "omp tool: --batch reads its calls from stdin; do not name a tool (USAGE)\n",
    });
  });
});
