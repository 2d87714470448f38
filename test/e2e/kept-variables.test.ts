/** Python variables from one omp to the next (`python.keepState`): what comes back, what does not, and what is said about it. */

import { beforeEach, expect, test } from "bun:test";
import { appendFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { variablesPath } from "../../src/history/variables-path.ts";
import { modeOf } from "../kernel/variables/variables.ts";
import { hasIdleKernel } from "../support/at-rest.ts";
import { omp as runOmp } from "../support/omp.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { openScreen } from "../support/screen.ts";
import { until } from "../support/until.ts";
import { AgentPlace, linesOf, python } from "./agent-place.ts";

let omp: AgentPlace;
beforeEach(() => {
  omp = new AgentPlace();
  omp.settings({ python: { keepState: true } });
});

const begin = `
class Point:
    def __init__(self, x): self.x = x
    def scaled(self): return self.x * factor
factor, point = 7, Point(6)
stream = (n for n in range(3))
with open("ran", "a") as file: file.write("once\\n")
del file
`;

/** A value that takes for ever to be pickled. */
const SLOW = `import time
class Slow:
    def __reduce__(self): time.sleep(600)
slow = Slow()
`;

/** @returns what the only call of the run printed, and the run. */
async function runCells(args: readonly string[], ...cells: readonly string[]) {
  const model = omp.script(...cells.map((code) => ({ toolCalls: [python(code)] })), { text: "Done." });
  const run = await omp.run(["-m", model, "--output-format", "stream-json", ...args, "go"]);
  const results = linesOf(run.stdout).filter(({ type }) => type === "tool_result");
  return { ...run, output: results.map(({ output }) => String(output)).join("\n") };
}

const keptFile = () => variablesPath(omp.logs()[0] ?? "");
const notice = () =>
  omp
    .entries()
    .flatMap((entry) =>
      entry.type === "user" && entry.message.origin.kind === "resumed" ? [entry.message] : [],
    )
    .map((message) => JSON.stringify(message))
    .at(-1);

describeWithPython(testPython, "variables that are kept", () => {
  test("of a sandbox are not unpickled outside it: that would run what the sandbox held", async () => {
    const outside = join(omp.place.home, "escaped");
    const hostile = `class Hostile:
    def __reduce__(self): return (exec, ("open(${JSON.stringify(outside).replaceAll('"', "'")}, 'w').close()",))
hostile, number = Hostile(), 42`;
    expect((await runCells(["--sandbox", "workspace"], hostile)).stderr).toBe("");
    const without = await runCells(["-c"], "hostile");
    expect(without.output).toContain("NameError: name 'hostile' is not defined");
    expect(without.stderr).toBe(
      "omp: Python variables were not restored: they are from a sandbox, and loading them outside would run what it held; to have them: --sandbox workspace\n",
    );
    expect(existsSync(outside)).toBe(false);
  });

  test("in a sandbox, a copy of the kernel has those that were not loaded yet, too, also when that kernel has ended", async () => {
    const sandbox = ["--sandbox", "workspace"];
    expect((await runCells(sandbox, "first, second = [1], [2]")).stderr).toBe("");
    const inBranch = (code: string) => ({ name: "python", input: { cells: [{ code }], branch: "two" } });
    const model = omp.script(
      { toolCalls: [python("'begun'")] },
      { toolCalls: [inBranch("print('first', first)")] },
      { toolCalls: [python("omp.branch('two').keep()")] },
      { toolCalls: [python("print('second', second)")] },
      { text: "Done." },
    );
    const run = await omp.run(["-c", "-m", model, "--output-format", "stream-json", ...sandbox, "go"]);
    const results = linesOf(run.stdout).filter(({ type }) => type === "tool_result");
    const output = results.map((result) => String(result["output"])).join("\n");
    expect(output).toContain("first [1]");
    expect(output).toContain("second [2]");
  });

  test("a resumed session has them, runs nothing again, and says what could not be kept", async () => {
    const first = await runCells([], `import pandas as pd\ndf = pd.DataFrame({"a": [1, 2, 3]})\n${begin}`);
    expect([first.exitCode, first.stderr]).toEqual([
      0,
      "omp: Python variables that were not kept: stream (generator: cannot pickle 'generator' object)\n",
    ]);
    expect([modeOf(keptFile()), modeOf(dirname(keptFile()))]).toEqual(["600", "700"]);
    const second = await runCells(["-c"], "print(df.a.sum(), point.scaled()); factor = 8", "stream");
    expect(second.stderr).toBe("");
    expect(second.output).toStartWith("6 42");
    expect(second.output).toContain("NameError: name 'stream' is not defined");
    expect(notice()).toContain(
      "the Python variables and imports from before are there, and each is loaded when a cell first names it: Point, df, factor, pd, point. These could not be kept: stream (generator: cannot pickle 'generator' object).",
    );
    expect((await runCells(["-c"], "print(point.scaled(), len(df))")).output).toStartWith("48 3");
    expect(omp.text("ran")).toBe("once\n");
    // A session in which Python does nothing keeps what was kept.
    await omp.run(["-m", omp.script({ text: "Nothing." }), "-c", "hi"]);
    expect((await runCells(["-c"], "print(point.scaled())")).output).toStartWith("48");
    // A call for an empty kernel gets one.
    const reset = { name: "python", input: { cells: [{ code: "'df' in globals()" }], reset: true } };
    const model = omp.script({ toolCalls: [reset] }, { text: "Done." });
    expect((await omp.run(["-m", model, "--output-format", "stream-json", "-c", "go"])).stdout).toContain(
      "False",
    );
    const [log = ""] = omp.logs();
    const { stdout } = await runOmp(["sessions", "list", "--json"], { place: omp.place });
    await runOmp(["sessions", "rm", JSON.parse(stdout)[0].id], { place: omp.place });
    expect(readdirSync(dirname(log))).toEqual([]);
  });

  test("nothing is kept unless the user wants it, and a project cannot want it", async () => {
    omp.settings({});
    await runCells([], begin);
    expect(existsSync(keptFile())).toBe(false);
    const { stdout } = await runCells(["-c"], "point");
    expect(stdout).toContain("NameError");
    expect(notice()).toContain("the Python kernel's variables and the shell's state");
    mkdirSync(join(omp.project, ".omp"));
    writeFileSync(join(omp.project, ".omp", "omp.jsonc"), '{"python": {"keepState": true}}');
    const wanted = await omp.run(["--trust", "-m", omp.script({ text: "Done." }), "go"]);
    expect([wanted.exitCode, wanted.stderr]).toEqual([
      2,
      expect.stringContaining("may not set 'python.keepState'"),
    ]);
  });

  test("in a sandbox, which hides omp's own files, they come and go through the kernel's messages", async () => {
    const sandboxed = ["--sandbox", "workspace"];
    await runCells(sandboxed, begin);
    const { output, stderr } = await runCells([...sandboxed, "-c"], "print(point.scaled())");
    expect([output.slice(0, 2), stderr]).toEqual(["42", ""]);
    // What is stricter still may have them; what they are then is what that sandbox held.
    const stricter = await runCells(["--sandbox", "read-only", "-c"], "print(point.scaled())");
    expect(stricter.output).toStartWith("42");
    expect((await runCells([...sandboxed, "-c"], "point")).stderr).toContain("--sandbox read-only");
  });

  test("a copy of the session has them, too, and a file that omp did not write is not read", async () => {
    await runCells([], begin);
    const { stdout } = await runOmp(["sessions", "list", "--json"], { place: omp.place });
    const { output } = await runCells(["--fork", JSON.parse(stdout)[0].id], "print(point.scaled())");
    expect(output).toStartWith("42");
    appendFileSync(keptFile(), "x");
    const refused = await runCells(["-r", JSON.parse(stdout)[0].id], "point");
    expect(refused.stderr).toBe(`omp: Python variables were not restored: ${keptFile()} is damaged\n`);
    expect(refused.output).toContain("NameError");
  });

  test("SIGTERM leaves time to keep them; after a SIGKILL there is no half of them, and that is said", async () => {
    const model = omp.script({ toolCalls: [python("x = list('abc')")] }, { text: "Late.", delayMs: 600_000 });
    const ran = () =>
      omp.logs().length === 1 && omp.entries().filter(({ type }) => type === "tool_result").length;
    const child = omp.start(["-m", model, "go"]);
    await until("the cell ran", () => ran() === 1);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(143);
    const resumed = omp.script({ toolCalls: [python("x.append('d')")] }, { text: "Late.", delayMs: 600_000 });
    const second = omp.start(["-m", resumed, "-c", "go"]);
    await until("the second cell ran", () => ran() === 2);
    second.kill("SIGKILL");
    await second.exited;
    writeFileSync(`${keptFile()}.partial-1-x`, "half");
    const third = await runCells(["-c"], "x");
    expect(third.stderr).toBe(
      "omp: Python variables were not restored: omp was killed before it could keep them\n",
    );
    expect(third.output).toContain("NameError");
    expect(readdirSync(dirname(keptFile())).filter((name) => name.includes("partial"))).toEqual([]);
  });

  test("killed in the middle of keeping them, omp leaves no half of them", async () => {
    await runCells([], "x = 1");
    const model = omp.script({ toolCalls: [python(`${SLOW}x = 2`)] }, { text: "Done." });
    omp.settings({ python: { keepState: true, keepStateTimeout: 600 } });
    const child = omp.start(["-m", model, "-c", "go"]);
    const files = () => readdirSync(dirname(keptFile()));
    await until("the file is being written", () => files().some((name) => name.includes("partial")));
    child.kill("SIGKILL");
    await child.exited;
    const { output, stderr } = await runCells(["-c"], "x");
    expect(output).toContain("NameError: name 'x' is not defined");
    expect(stderr).toBe("");
    expect(files().filter((name) => name.includes("partial"))).toEqual([]);
  });

  test("Ctrl+C skips keeping them", async () => {
    omp.settings({ python: { keepState: true, keepStateTimeout: 600 } });
    const screen = openScreen({
      place: omp.place,
      env: omp.env,
      columns: 140,
      args: ["-m", omp.script({ text: "Hi." })],
    });
    await screen.waitFor(hasIdleKernel);
    screen.type(`$${SLOW.trimEnd().replaceAll("\n", "\x1b\r")}\x1b\r\x1b\r\r`);
    await screen.waitFor("✓ python");
    screen.type("\x04");
    await screen.waitFor("Keeping Python variables; Ctrl+C skips that.");
    screen.type("\x03");
    await screen.ended();
    expect(screen.text).toContain("omp: Python variables were not kept: it was skipped");
    expect(existsSync(keptFile())).toBe(false);
  });

  test("of a session that was taken back since then are not mixed with it; the undo makes them right again", async () => {
    await runCells([], "x = 1");
    await runCells(["-c"], "x = 2");
    const { stdout } = await runOmp(["sessions", "list", "--json"], { place: omp.place });
    const { id } = JSON.parse(stdout)[0];
    const back = (...how: string[]) => runOmp(["sessions", "rewind", id, ...how], { place: omp.place });
    expect((await back("--to", "2")).exitCode).toBe(0);
    expect((await back("--undo")).exitCode).toBe(0);
    expect((await runCells(["-c"], "print(x)")).output).toStartWith("2");
    expect((await back("--to", "2")).exitCode).toBe(0);
    const { output, stderr } = await runCells(["-c"], "x");
    expect(stderr).toBe(
      "omp: Python variables were not restored: the session was taken back after they were kept\n",
    );
    expect(output).toContain("NameError");
  });

  test("the terminal UI says what is there again", async () => {
    const options = { place: omp.place, env: omp.env, columns: 140 };
    const first = openScreen({ ...options, args: ["-m", omp.script()] });
    await first.waitFor(hasIdleKernel);
    first.type("$kept = [1, 2]; gen = (n for n in kept)\r");
    await first.waitFor("✓ python");
    first.type("\x04");
    expect(await first.ended()).toBe(0);
    expect(first.text).toContain("omp: Python variables that were not kept: gen (generator:");
    const second = openScreen({ ...options, args: ["-m", omp.script(), "-c"] });
    await second.waitFor(
      /Resumed [0-9a-f]{8}\. 1 Python variable restored \(.*, loaded when used\)\. Not kept: gen \(generator\)\. Shell state was not restored\./,
    );
    second.type("$kept[1] * 21\r");
    await second.waitFor(/\n {2}42/);
    second.type("\x04");
    expect(await second.ended()).toBe(0);
  });
});
