/** Every way in which `omp -p` can fail: the exit code, one line on stderr, and JSON on stdout where JSON was asked for. */

import { beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compatible } from "../models/formats/compatible.ts";
import { deadUrl } from "../models/wire-server.ts";
import { launcher, omp as ompRun, userEnvironment } from "../support/omp.ts";
import { AgentPlace, answering, bash, linesOf } from "./agent-place.ts";

let omp: AgentPlace;
beforeEach(() => {
  omp = new AgentPlace();
});

const nothing = { input: 0, output: 0, cache_read: 0, cache_write: 0, cost_usd: null };

describe("no usable model: 3", () => {
  test("none is configured: the line names variables and the settings file", async () => {
    const settings = join(omp.place.home, ".omp/agent/omp.jsonc");
    expect(await omp.run(["hi"])).toEqual({
      exitCode: 3,
      stdout: "",
      stderr: `model: no model is configured; set ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY or OPENROUTER_API_KEY, choose a local one (-m ollama/<model>), or add an endpoint to ${settings} (NO_MODEL)\n`,
    });
  });

  test("the named one has no key", async () => {
    const { exitCode, stderr } = await omp.run(["-m", "anthropic/claude-opus-5-5", "hi"]);
    expect(exitCode).toBe(3);
    expect(stderr).toBe(
      "model: anthropic needs a key; set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN (AUTH)\n",
    );
  });

  test.each([
    ["json", ["result"]],
    ["stream-json", ["error", "result"]],
  ])("%s: stdout carries JSON, with the result last", async (format, types) => {
    const { exitCode, stdout, stderr } = await omp.run(["hi", "--output-format", format]);
    expect(exitCode).toBe(3);
    const lines = linesOf(stdout);
    expect(lines.map(({ type }) => type)).toEqual(types);
    expect(lines.at(-1)).toEqual({
      type: "result",
      timestamp: expect.any(String),
      status: "failed",
      text: "",
      turns: 0,
      usage: nothing,
      session_id: null,
      error: { code: "NO_MODEL", message: stderr.trim() },
    });
  });
});

test("a name that no provider serves is no usable model: 3", async () => {
  const { exitCode, stdout, stderr } = await omp.run(["-m", "nobody/x", "hi"]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: "" });
  expect(stderr).toMatch(/^model: unknown provider 'nobody' in .* \(UNKNOWN_MODEL\)\n$/);
});

describe("the provider fails: 1", () => {
  test("a model that it does not know", async () => {
    const { args, env, server } = await answering({
      status: 404,
      body: [compatible.errorBody(404, "unknown")],
    });
    expect(await omp.run([...args, "hi"], { env })).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `model: ollama has no model 'test-model' at ${server.url}/v1: The model \`test-model\` does not exist (UNKNOWN_MODEL)\n`,
    });
  });

  test("a refused key", async () => {
    const { server } = await answering({ status: 401, body: [compatible.errorBody(401, "auth")] });
    const env = { OPENROUTER_API_KEY: "sk-test", OPENROUTER_BASE_URL: server.url };
    expect(await omp.run(["-m", "openrouter/x", "hi"], { env })).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: "model: openrouter refused the key with status 401; check OPENROUTER_API_KEY (AUTH)\n",
    });
  });

  test("nobody answers", async () => {
    const url = deadUrl();
    expect(await omp.run(["-m", "ollama/x", "hi"], { env: { OLLAMA_HOST: url } })).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: `model: cannot reach ollama at ${url}/v1: connection refused (UNREACHABLE)\n`,
    });
  });

  test("in the middle of a run: what was said before is no answer, and the log can be gone on with", async () => {
    const error = { error: { status: 400, message: "no such thing" } };
    const model = omp.script({ text: "Let me see.", toolCalls: [bash("echo hi")] }, error);
    const { exitCode, stdout, stderr } = await omp.run(["-m", model, "go"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).toBe("model: script refused the request with status 400: no such thing (BAD_REQUEST)\n");
    expect((await omp.run(["-m", omp.script({ text: "Better." }), "-c", "again"])).stdout).toBe("Better.\n");
  });

  test("a failure that passes is told in the stream, and the answer comes", async () => {
    const model = omp.script({ error: { status: 503, message: "busy" } }, { text: "Here." });
    const { exitCode, stdout, stderr } = await omp.run(["-m", model, "go", "--output-format", "stream-json"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(linesOf(stdout).slice(1, 3)).toMatchObject([
      {
        type: "error",
        code: "RETRY",
        message: expect.stringMatching(
          /^model: attempt 1 failed, ignore its deltas; retrying in \d+ ms: script failed with status 503: busy \(RETRY\)$/,
        ),
      },
      { type: "text_delta", text: "Here." },
    ]);
    expect(linesOf(stdout).at(-1)).not.toHaveProperty("error");
  });
});

describe("bad usage, settings or input: 2", () => {
  test.each([
    [
      ["--max-turns", "0", "hi"],
      "omp: option '--max-turns <n>' argument '0' is invalid: it must be a whole number, 1 or more (USAGE)",
    ],
    [["-c", "--no-session", "hi"], "omp: --continue and --no-session cannot be combined (USAGE)"],
    [["-r", "abc", "--fork", "def", "hi"], "omp: --resume and --fork cannot be combined (USAGE)"],
    [["-m", "demo"], "omp: -p needs a prompt or text on stdin (USAGE)"],
    [["-m", "demo", "-r", "nope", "hi"], "session: no session 'nope'; see: omp sessions list (ENOENT)"],
    [["-m", "script:gone.json", "hi"], "model: PROJECT/gone.json: no such file (BAD_SCRIPT)"],
    [["-m", "demo", "-o", "no/answer", "hi"], "omp: cannot write the answer to 'PROJECT/no/answer' (ENOENT)"],
    [["-m", "demo", "-o", ".", "hi"], "omp: cannot write the answer to 'PROJECT' (EISDIR)"],
  ])("%p", async (args, line) => {
    expect(await omp.run(args)).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: `${line.replace("PROJECT", omp.project)}\n`,
    });
  });

  test("settings that cannot be read", async () => {
    mkdirSync(join(omp.project, ".omp"));
    writeFileSync(join(omp.project, ".omp", "omp.jsonc"), '{"nonsense": 1}');
    const { exitCode, stderr } = await omp.run(["--trust", "-m", "demo", "hi"]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/^settings: unknown key .nonsense. at .*\(UNKNOWN_KEY\)\n$/);
  });

  test("more on stdin than any model reads, and no tool to read it with", async () => {
    const shell = Bun.spawn(
      ["bash", "-c", 'yes | head -c 17000000 | "$0" -p -m demo --no-tools hi', launcher],
      {
        cwd: omp.project,
        env: userEnvironment(omp.place),
        stdout: "pipe",
        stderr: "pipe",
      },
    );
    expect(await new Response(shell.stderr).text()).toBe(
      "omp: stdin has more than 16 MB, and this run has no tool that could read it; allow python, bash or read (TOO_LARGE)\n",
    );
    expect(await shell.exited).toBe(2);
  });
});

test("the turn limit: 5, with what was said last", async () => {
  const model = omp.script(...Array(3).fill({ text: "More.", toolCalls: [bash("true")] }));
  const { exitCode, stdout, stderr } = await omp.run(["-m", model, "--max-turns", "2", "go"]);
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 5,
    stdout: "More.\n",
    stderr: "omp: stopped after 2 turns (TURN_LIMIT)\n",
  });
});

test("the limit of one turn is told as one", async () => {
  const model = omp.script({ text: "More.", toolCalls: [bash("true")] });
  const { stderr } = await omp.run(["-m", model, "--max-turns", "1", "go"]);
  expect(stderr).toBe("omp: stopped after 1 turn (TURN_LIMIT)\n");
});

test("a run that fails leaves the file of -o as it was", async () => {
  writeFileSync(join(omp.project, "answer.txt"), "of yesterday");
  const model = omp.script({ error: { status: 401, message: "no" } });
  const { exitCode } = await omp.run(["-m", model, "-o", "answer.txt", "hi"]);
  expect({ exitCode, answer: omp.text("answer.txt") }).toEqual({ exitCode: 1, answer: "of yesterday" });
});

test("without a terminal and a prompt the tour runs, whatever stdin is, and ends well", async () => {
  const child = Bun.spawn([launcher], {
    cwd: omp.project,
    env: userEnvironment(omp.place, omp.env),
    // Never sends, never ends.
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect(await child.exited).toBe(0);
  expect(stdout).toStartWith("This is the demo");
  // The value of a cell, what the shell said, and how to go on.
  expect(stdout).toContain("(46, [181, 191, 193, 197, 199])");
  expect(stdout).toContain("\nhello from omp\n");
  // A tool that shows nothing while it runs.
  expect(stdout).toContain('[ls] {"path":"."}\n(empty directory)');
  expect(stdout).toContain("That was the tour. To work with a model, set one of these");
  expect(stderr).toStartWith("omp: no terminal and no prompt, so this is the demo tour");
});

test("text that is piped to a model that was named, or that is configured, is asked of it without -p", async () => {
  const model = omp.script({ text: "I read it." }, { text: "I read it." });
  const run = (args: readonly string[], stdin?: string) =>
    ompRun(args, { place: omp.place, env: { PI_PY: "0" }, ...(stdin === undefined ? {} : { stdin }) });
  expect(await run(["-m", model], "hello\n")).toMatchObject({ exitCode: 0, stdout: "I read it.\n" });
  omp.settings({ model });
  expect(await run([], "hello\n")).toMatchObject({ exitCode: 0, stdout: "I read it.\n" });
  expect(await run(["-m", model])).toEqual({
    exitCode: 2,
    stdout: "",
    stderr: "omp: -p needs a prompt or text on stdin (USAGE)\n",
  });
});

test("a limit on open files that is too low is one line", async () => {
  const script = 'ulimit -n 20; exec "$0" "$@"';
  const line =
    "omp: the limit on open files is 20, and omp needs 32; raise the limit: ulimit -n 1024 (EMFILE)\n";
  for (const args of [
    ["tool", "bash", '{"command":"true"}'],
    ["-p", "-m", omp.script({ text: "Done." }), "go"],
  ])
    expect(await omp.inShell(script, ...args)).toEqual({ exitCode: 2, stdout: "", stderr: line });
});
