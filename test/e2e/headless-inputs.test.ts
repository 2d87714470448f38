/** What is too large for a prompt: the model is told of it, cells and commands read it, and the session keeps it. */

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageText, type UserMessage } from "../../src/protocol/index.ts";
import { launcher, omp as runOmp, userEnvironment } from "../support/omp.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { until } from "../support/until.ts";
import { AgentPlace, answering, bash, linesOf, python } from "./agent-place.ts";

const inputsOf = ({ place }: AgentPlace) => join(place.home, ".omp", "agent", "inputs");
const inDirectory = (path: string) => (existsSync(path) ? readdirSync(path).sort() : []);

function prompts(omp: AgentPlace): UserMessage[] {
  return omp.entries().flatMap((entry) => (entry.type === "user" ? [entry.message] : []));
}

function outputs(stdout: string): string[] {
  return linesOf(stdout).flatMap(({ type, output }) =>
    type === "tool_result" ? [String(output).trimEnd()] : [],
  );
}

const LOG = Array.from({ length: 5_000 }, (_, index) => `line ${index + 1}`).join("\n");

describeWithPython(testPython, "a large input", () => {
  test("of 128 MB on stdin is a variable: a small prompt, flat memory, and a needle that is found", async () => {
    const code =
      "x = omp.inputs.stdin\nprint('needle' in x, x.grep('n..dle'), x.line_count, x.tail(1).strip())";
    const peak = bash("grep VmHWM /proc/$PPID/status || echo VmHWM: 0 kB");
    const pipe = async (lines: number) => {
      const omp = new AgentPlace();
      const model = omp.script({ toolCalls: [python(code), peak] }, { text: "Found." });
      const { exitCode, stdout } = await omp.inShell(
        `{ yes 0123456789012345678901234567890 | head -n ${lines}; echo needle; echo last; } | "$0" "$@"`,
        ...["-p", "-m", model, "why?", "--output-format", "stream-json"],
      );
      const [found, memory = ""] = outputs(stdout);
      expect([exitCode, found]).toEqual([0, `True [(${lines + 1}, 'needle')] ${lines + 2} last`]);
      const kb = Number(/^VmHWM:\s+(\d+) kB/.exec(memory)?.[1]);
      const size = prompts(omp).reduce((sum, message) => sum + messageText(message).length, 0);
      return { kb, size };
    };
    const [small, large] = [await pipe(2_000), await pipe(4_000_000)];
    expect(large.size).toBeLessThan(2_500);
    expect(large.kb - small.kb).toBeLessThan(96_000);
  });

  test("is described by its ends, is private, stays with the session, and goes with it", async () => {
    const omp = new AgentPlace();
    const { exitCode, stdout } = await omp.run(
      ["-m", omp.script({ text: "ok" }), "why?", "--output-format", "json"],
      { stdin: LOG },
    );
    expect(exitCode).toBe(0);
    const session = String(linesOf(stdout).at(-1)?.["session_id"]);
    const file = join(inputsOf(omp), session, "stdin");
    expect([readFileSync(file, "utf8") === LOG, statSync(file).mode & 0o777]).toEqual([true, 0o600]);
    const [message] = prompts(omp);
    const first = Array.from({ length: 10 }, (_, index) => `line ${index + 1}`);
    const last = Array.from({ length: 10 }, (_, index) => `line ${4_991 + index}`);
    expect(message).toEqual({
      role: "user",
      origin: { kind: "stdin" },
      content: [
        { type: "text", text: "why?" },
        {
          type: "text",
          notice: "stdin (49 kB, 5,000 lines) is omp.inputs.stdin",
          text: [
            '<input source="stdin" name="omp.inputs.stdin" bytes="48892" kind="text" lines="5000">',
            ...first,
            "[… 4,980 lines …]",
            ...last,
            "</input>",
            `[stdin is too large for the conversation. In cells omp.inputs.stdin reads it from disk when asked: \`for line in it\`, .head(n), .tail(n), .grep(regex) gives [(number, line)], \`"x" in it\`, .text(), .json(), .open(), .path, .size. The file is ${file}.]`,
          ].join("\n"),
        },
      ],
    });

    const lookAgain = () =>
      omp.script({ toolCalls: [python("print(omp.inputs.stdin.head(1))")] }, { text: "ok" });
    const resumed = await omp.run(["-m", lookAgain(), "-c", "again", "--output-format", "stream-json"]);
    expect(outputs(resumed.stdout)).toEqual(["line 1"]);
    const forked = await omp.run([
      "-m",
      lookAgain(),
      "--fork",
      session,
      "again",
      "--output-format",
      "stream-json",
    ]);
    const fork = String(linesOf(forked.stdout).at(-1)?.["session_id"]);

    const removed = await runOmp(["sessions", "rm", session], omp);
    expect(removed.stdout).toBe(`removed ${session} and 1 input\n`);
    // Each has files of its own.
    expect(inDirectory(inputsOf(omp))).toEqual([fork]);
    expect(readFileSync(join(inputsOf(omp), fork, "stdin"), "utf8")).toBe(LOG);
  });

  test("that is a file of the user's is read where it is, under a name of its own", async () => {
    const omp = new AgentPlace();
    const rows = Array.from({ length: 5_000 }, (_, index) => `${index},"a, b",${index * 2}`);
    writeFileSync(join(omp.project, "2024 sales.csv"), "not this one");
    writeFileSync(join(omp.project, "sales-2024.csv"), `id,name,amount\n${rows.join("\n")}\n`);
    const code = "x = omp.inputs.sales_2024_csv\nprint(x.path, x.kind, sum(1 for _ in x), list(omp.inputs))";
    const model = omp.script({ toolCalls: [python(code)] }, { text: "ok" });
    const { stdout } = await omp.run([
      "-m",
      model,
      "Sum up @sales-2024.csv, please",
      "--output-format",
      "stream-json",
    ]);
    const path = join(omp.project, "sales-2024.csv");
    expect(outputs(stdout)).toEqual([`${path} CSV with 3 columns 5001 ['sales_2024_csv']`]);
    expect(prompts(omp)[0]?.content).toMatchObject([
      { text: "Sum up @sales-2024.csv, please" },
      { notice: "@sales-2024.csv (83 kB, 5,001 lines) is omp.inputs.sales_2024_csv" },
    ]);
  });

  test.each(["workspace", "read-only"])("can be read in the sandbox %s, and others cannot", async (mode) => {
    const omp = new AgentPlace();
    mkdirSync(join(inputsOf(omp), "another"), { recursive: true });
    writeFileSync(join(inputsOf(omp), "another", "stdin"), "secret");
    const code =
      "import os\nx = omp.inputs.stdin\nprint(x.head(1), 'on the user' in repr(x), os.listdir(os.path.dirname(os.path.dirname(x.path))))";
    const model = omp.script({ toolCalls: [python(code)] }, { text: "ok" });
    const { stdout } = await omp.run(
      ["-m", model, "--sandbox", mode, "--no-session", "why?", "--output-format", "stream-json"],
      { stdin: LOG },
    );
    expect(outputs(stdout)).toEqual([expect.stringMatching(/^line 1\n False \['run-[-0-9a-f]{36}'\]$/)]);
    expect(inDirectory(inputsOf(omp))).toEqual(["another"]);
  });
});

test("without Python the model gets the path, which commands and the read tool read", async () => {
  const omp = new AgentPlace();
  const env = { PI_PY: "bash" };
  const args = ["--output-format", "stream-json"];
  const { stdout } = await omp.run(["-m", omp.script({ text: "ok" }), "why?", ...args], { stdin: LOG, env });
  const file = join(inputsOf(omp), String(linesOf(stdout).at(-1)?.["session_id"]), "stdin");
  const [message] = prompts(omp);
  expect(messageText(message as UserMessage)).toEndWith(
    `[stdin is too large for the conversation. Read what you need of the file ${file}.]`,
  );
  const again = await omp.run(
    [
      "-m",
      omp.script(
        { toolCalls: [bash(`tail -n 1 ${file}`), { name: "read", input: { path: file, offset: 4_999 } }] },
        { text: "ok" },
      ),
      "-c",
      "x",
      "--output-format",
      "stream-json",
    ],
    { env },
  );
  expect(outputs(again.stdout).map((output) => output.split("\n")[0])).toEqual([
    "line 5000",
    expect.stringContaining("line 4999"),
  ]);
});

test("without a tool that could read it, all of it is in the prompt", async () => {
  const omp = new AgentPlace();
  await omp.run(["-m", omp.script({ text: "ok" }), "--no-tools", "why?"], { stdin: LOG });
  expect(messageText(prompts(omp)[0] as UserMessage)).toBe(`why?\n<stdin>\n${LOG}\n</stdin>`);
  expect(inDirectory(inputsOf(omp))).toEqual([]);
});

test("bytes that are not text are never in the prompt, however few they are", async () => {
  const omp = new AgentPlace();
  const { args, env, server } = await answering("ok");
  const { exitCode } = await omp.inShell(
    `printf '\\211PNG\\r\\n\\032\\n\\000\\001\\377' | ${Object.entries(env)
      .map(([name, value]) => `${name}=${value}`)
      .join(" ")} PI_PY=bash "$0" "$@"`,
    ...["-p", ...args, "what is it?"],
  );
  expect(exitCode).toBe(0);
  expect(JSON.stringify(server.asked[0]?.body["messages"])).toContain(
    '<input source=\\"stdin\\" bytes=\\"11\\" kind=\\"image/png\\">\\n</input>',
  );
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s while a large input is read ends omp, and nothing of it stays", async (signal, exitCode) => {
  const omp = new AgentPlace();
  const child = Bun.spawn([launcher, "-p", "-m", omp.script(), "hi"], {
    cwd: omp.project,
    env: userEnvironment(omp.place, omp.env),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  child.stdin.write("x".repeat(1_000_000));
  await child.stdin.flush();
  await until("some of it is on the disk", () => inDirectory(inputsOf(omp)).length === 1);
  child.kill(signal);
  expect(await child.exited).toBe(exitCode);
  expect([await new Response(child.stdout).text(), await new Response(child.stderr).text()]).toEqual([
    "",
    "",
  ]);
  expect(inDirectory(inputsOf(omp))).toEqual([]);
});

test("a place that cannot be written is one line, before a model is asked", async () => {
  const omp = new AgentPlace();
  mkdirSync(join(omp.place.home, ".omp", "agent"), { recursive: true });
  writeFileSync(inputsOf(omp), "in the way");
  const { exitCode, stderr } = await omp.run(["-m", omp.script(), "hi"], { stdin: LOG });
  expect([exitCode, stderr]).toEqual([1, `omp: cannot write the input to '${inputsOf(omp)}' (EEXIST)\n`]);
});
