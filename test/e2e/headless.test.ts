import { beforeEach, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { launcher } from "../support/omp.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { AgentPlace, bash, linesOf, python } from "./agent-place.ts";

let omp: AgentPlace;
beforeEach(() => {
  omp = new AgentPlace();
});

const usage = {
  input: expect.any(Number),
  output: expect.any(Number),
  cache_read: 0,
  cache_write: 0,
  cost_usd: null,
};
const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const session_id = expect.stringMatching(/^[\da-f-]{36}$/);

describe("what is printed", () => {
  test("text: the answer and nothing else", async () => {
    const model = omp.script({ text: "Let me see.", toolCalls: [bash("echo hi")] }, { text: "It says hi." });
    expect(await omp.run(["-m", model, "look"])).toEqual({
      exitCode: 0,
      stdout: "It says hi.\n",
      stderr: "",
    });
  });

  test("json: the result, as one line", async () => {
    const model = omp.script({ text: "Hello." });
    const { exitCode, stdout, stderr } = await omp.run(["-m", model, "hi", "--output-format", "json"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(linesOf(stdout)).toEqual([
      { type: "result", timestamp, status: "done", text: "Hello.", turns: 1, usage, session_id },
    ]);
  });

  test("-o: the answer in a private file, too, found from the working directory", async () => {
    const directory = join(omp.project, "sub");
    mkdirSync(directory);
    const model = omp.script({ text: "Hello.\nWorld." });
    const { stdout } = await omp.run(["-m", model, "-C", directory, "-o", "answer.txt", "hi"]);
    expect(stdout).toBe("Hello.\nWorld.\n");
    expect(omp.text("sub/answer.txt")).toBe("Hello.\nWorld.");
    expect(statSync(join(directory, "answer.txt")).mode & 0o777).toBe(0o600);
  });

  test("-o: a file that is there may be in a directory that takes no new ones", async () => {
    const directory = join(omp.project, "fixed");
    mkdirSync(directory);
    writeFileSync(join(directory, "answer.txt"), "old");
    chmodSync(directory, 0o555);
    const { exitCode } = await omp.run(["-m", omp.script({ text: "new" }), "-o", "fixed/answer.txt", "hi"]);
    chmodSync(directory, 0o755);
    expect(exitCode).toBe(0);
    expect(omp.text("fixed/answer.txt")).toBe("new");
  });
});

describeWithPython(testPython, "with python and bash for real", () => {
  test("stream-json: everything that happens", async () => {
    const model = omp.script(
      { reasoning: "Hm.", text: "Let me see.", toolCalls: [python("6 * 7"), bash("echo hi; exit 3")] },
      { text: "All done." },
    );
    const { stdout } = await omp.run(["-m", model, "look", "--output-format", "stream-json"]);
    const lines = linesOf(stdout);
    expect(lines.filter(({ type }) => type !== "tool_update")).toEqual([
      {
        type: "init",
        timestamp,
        session_id,
        model,
        cwd: omp.project,
        tools: [
          "python",
          "bash",
          "bash_output",
          "kill_shell",
          "read",
          "write",
          "edit",
          "grep",
          "find",
          "ls",
          "task",
        ],
      },
      { type: "reasoning_delta", timestamp, text: "Hm." },
      { type: "text_delta", timestamp, text: "Let " },
      { type: "text_delta", timestamp, text: "me " },
      { type: "text_delta", timestamp, text: "see." },
      { type: "usage", timestamp, ...usage },
      { type: "tool_call", timestamp, id: "call_1_1", ...python("6 * 7") },
      {
        type: "tool_result",
        timestamp,
        id: "call_1_1",
        name: "python",
        is_error: false,
        output: expect.stringContaining("42"),
        details: expect.objectContaining({ cells: [expect.objectContaining({ status: "ok" })] }),
      },
      { type: "tool_call", timestamp, id: "call_1_2", ...bash("echo hi; exit 3") },
      {
        type: "tool_result",
        timestamp,
        id: "call_1_2",
        name: "bash",
        is_error: true,
        output: expect.stringMatching(/^hi\nExit code: 3/),
        details: expect.objectContaining({ exitCode: 3 }),
      },
      { type: "text_delta", timestamp, text: "All " },
      { type: "text_delta", timestamp, text: "done." },
      { type: "usage", timestamp, ...usage },
      { type: "result", timestamp, status: "done", text: "All done.", turns: 2, usage, session_id },
    ] as unknown as typeof lines);
    const updates = lines.filter(({ type }) => type === "tool_update");
    expect(updates.map(({ id, text }) => [id, text])).toContainEqual(["call_1_2", "hi\n"]);
  });
});

/** What the model was told, out of the log. */
function prompts(): string[] {
  return omp
    .entries()
    .flatMap((entry) =>
      entry.type === "user" ? [entry.message.content.map((part) => "text" in part && part.text).join()] : [],
    );
}

describe("the prompt", () => {
  test("piped text stands in a block below it", async () => {
    await omp.run(["-m", omp.script({ text: "ok" }), "What is this?"], { stdin: "line 1\nline 2" });
    expect(prompts()).toEqual(["What is this?\n\n<stdin>\nline 1\nline 2\n</stdin>"]);
  });

  test("piped text alone will do", async () => {
    await omp.run(["-m", omp.script({ text: "ok" })], { stdin: "hello\n" });
    expect(prompts()).toEqual(["<stdin>\nhello\n</stdin>"]);
  });

  test("white space is no text", async () => {
    await omp.run(["-m", omp.script({ text: "ok" }), "hi"], { stdin: " \n" });
    expect(prompts()).toEqual(["hi"]);
  });

  test("a closed stdin does no harm", async () => {
    const model = omp.script({ text: "ok" });
    const shell = Bun.spawn(["bash", "-c", '"$0" -p -m "$1" hi <&-', launcher, model], {
      cwd: omp.project,
      env: { PATH: process.env["PATH"], HOME: omp.place.home },
      stdout: "pipe",
      stderr: "pipe",
    });
    expect(await new Response(shell.stdout).text()).toBe("ok\n");
    expect(await shell.exited).toBe(0);
  });
});

describe("what may run", () => {
  const touch = bash("touch made; echo done");

  test("--dry-run runs nothing", async () => {
    const model = omp.script({ toolCalls: [touch, { name: "read", input: {} }] }, { text: "ok" });
    const { exitCode, stdout } = await omp.run([
      "-m",
      model,
      "--dry-run",
      "go",
      "--output-format",
      "stream-json",
    ]);
    expect(exitCode).toBe(0);
    const results = linesOf(stdout).filter(({ type }) => type === "tool_result");
    expect(results.map(({ output }) => output)).toEqual([
      "[Dry Run] Would execute: touch made; echo done",
      "read: field 'path' is required (INVALID_INPUT)",
    ]);
    expect(existsSync(join(omp.project, "made"))).toBe(false);
  });

  test("--approval read-only: the model is told, and gives up with 4", async () => {
    const model = omp.script({ toolCalls: [touch] }, { text: "I may not." });
    const result = await omp.run(["-m", model, "--approval", "read-only", "go", "--output-format", "json"]);
    expect(result.exitCode).toBe(4);
    expect(linesOf(result.stdout)).toMatchObject([{ status: "denied", text: "I may not." }]);
    expect(existsSync(join(omp.project, "made"))).toBe(false);
  });

  test("--approval ask: nobody is here to say yes, so it is no; a way around it is no failure", async () => {
    const denied = omp.script({ toolCalls: [touch] }, { text: "I may not." });
    expect(await omp.run(["-m", denied, "--approval", "ask", "go"])).toEqual({
      exitCode: 4,
      stdout: "I may not.\n",
      stderr:
        "omp: the model stopped after a denied call: bash: blocked: not on the safe list: touch made; " +
        "approval is needed, but this run is non-interactive (DENIED)\n",
    });
    const around = omp.script(
      { toolCalls: [touch] },
      { toolCalls: [bash("pwd")] },
      { text: "Done otherwise." },
    );
    expect((await omp.run(["-m", around, "--approval", "ask", "go"])).exitCode).toBe(0);
    expect(existsSync(join(omp.project, "made"))).toBe(false);
  });

  test("what is dangerous never runs", async () => {
    const model = omp.script({ toolCalls: [bash("rm -rf /")] }, { text: "No." });
    const { exitCode, stdout } = await omp.run(["-m", model, "go", "--output-format", "stream-json"]);
    expect(exitCode).toBe(4);
    expect(stdout).toContain("(DANGEROUS)");
  });

  test("--tools names them exactly, --no-tools none; an unknown one is a mistake", async () => {
    const tools = async (...args: string[]) => {
      const model = omp.script({ text: "ok" });
      const { stdout } = await omp.run(["-m", model, "hi", "--output-format", "stream-json", ...args]);
      return linesOf(stdout)[0]?.["tools"];
    };
    expect(await tools("--tools", "read,exec")).toEqual(["read", "exec"]);
    expect(await tools("--tools", "read, exec")).toEqual(["read", "exec"]);
    expect(await tools("--no-tools")).toEqual([]);
    expect(await omp.run(["-m", omp.script(), "--tools", ",", "hi"])).toEqual({
      exitCode: 2,
      stdout: "",
      stderr:
        "omp: option '--tools <names>' argument ',' is invalid: it names no tools; for none, use --no-tools (USAGE)\n",
    });
    expect(await omp.run(["-m", omp.script(), "--tools", "bahs", "hi"])).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: "omp: unknown tool 'bahs'; did you mean 'bash'? (UNKNOWN_TOOL)\n",
    });
  });
});

test("a system prompt may come from a file that is found from the working directory", async () => {
  writeFileSync(join(omp.project, "poet.md"), "You are a poet.\n");
  const ok = await omp.run(["-m", omp.script({ text: "ok" }), "--system-prompt", "@poet.md", "hi"]);
  expect(ok.exitCode).toBe(0);
  expect(await omp.run(["-m", omp.script(), "--append-system-prompt", "@gone.md", "hi"])).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: `omp: cannot read '${join(omp.project, "gone.md")}' (ENOENT)\n`,
  });
});

test("a call is in the log before it runs", async () => {
  const logs = '"$HOME"/.omp/agent/omp-sessions/*.jsonl';
  const look = `grep -c '"type":"tool_call"' ${logs}; grep -c '"type":"tool_result"' ${logs}`;
  const model = omp.script({ toolCalls: [bash(look)] }, { text: "ok" });
  const { stdout } = await omp.run(["-m", model, "go", "--output-format", "stream-json"]);
  const result = linesOf(stdout).find(({ type }) => type === "tool_result");
  // The model's turn and the call; no result yet.
  expect(String(result?.["output"]).split("\n").slice(0, 2)).toEqual(["2", "0"]);
});

test("--no-session keeps nothing", async () => {
  await omp.run(["-m", omp.script({ text: "ok" }), "--no-session", "hi"]);
  expect(existsSync(join(omp.place.home, ".omp", "agent", "omp-sessions"))).toBe(false);
});
