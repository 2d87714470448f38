/** `--kernel`: the real program in a kernel that somebody else has started, beside another client. */

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startForeignKernel } from "../support/foreign-kernels.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { launcher, omp, userEnvironment } from "../support/omp.ts";
import { isRunning, processesWith } from "../support/processes.ts";
import { describeWithPython, pythonsUnderTest, testPython } from "../support/python.ts";
import { SecondClient } from "../support/second-client.ts";
import { until } from "../support/until.ts";

const cell = (code: string, rest: object = {}) => JSON.stringify({ cells: [{ code }], ...rest });

/** An omp that runs until it is ended. */
function started(args: readonly string[], place: TestPlace, env: Record<string, string> = {}) {
  return Bun.spawn([launcher, ...args], {
    cwd: place.project,
    env: userEnvironment(place, env),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
}

for (const python of pythonsUnderTest) {
  describeWithPython(python, `omp --kernel, ${python.name}`, () => {
    test("works in it with omp tool and a batch, and leaves it running", async () => {
      const place = temporaryPlace();
      const foreign = await startForeignKernel({ python, transport: "ipc" });
      const other = await SecondClient.connect(foreign.file);
      await other.run("shared = 1");
      const single = await omp(["tool", "python", cell("shared += 1"), "--kernel", foreign.file], { place });
      expect(single).toMatchObject({ exitCode: 0, stderr: "" });
      const lines = ["shared += 1", "print(shared)"].map((code, id) =>
        JSON.stringify({ id, name: "python", input: { cells: [{ code }] } }),
      );
      // Also before the command's name.
      const batch = await omp(["--kernel", foreign.file, "tool", "--batch"], {
        place,
        stdin: `${lines.join("\n")}\n`,
      });
      expect(batch.exitCode).toBe(0);
      expect(JSON.parse(batch.stdout.trim().split("\n")[1] ?? "")).toMatchObject({ id: 1, output: "3" });
      expect(await other.run("shared")).toMatchObject({ value: "3" });
      expect(foreign.isAlive()).toBe(true);
    });

    test("has calls of omp in its cells only when the user asks for them", async () => {
      const place = temporaryPlace();
      const foreign = await startForeignKernel({ python });
      writeFileSync(join(place.project, "here.txt"), "read by omp\n");
      const read = [
        "tool",
        "python",
        cell("print(omp.tools.read(path='here.txt').text)"),
        "--kernel",
        foreign.file,
      ];
      expect((await omp(read, { place })).stdout).toContain("NameError: name 'omp' is not defined");
      await omp(["config", "set", "bridge.existingKernels", "true"], { place });
      expect((await omp(read, { place })).stdout).toContain("1|read by omp");
    });

    test("that is killed, or interrupted, leaves it running", async () => {
      const place = temporaryPlace();
      const foreign = await startForeignKernel({ python });
      const other = await SecondClient.connect(foreign.file);
      const begun = join(foreign.cwd, "begun");
      const code = [
        "import pathlib",
        "marks = globals().get('marks', 0) + 1",
        "pathlib.Path('begun').write_text('')",
        "while True: pass",
      ].join("\n");
      const run = async (end: "SIGKILL" | "SIGINT") => {
        rmSync(begun, { force: true });
        const child = started(["tool", "python", cell(code), "--kernel", foreign.file], place);
        await until("the cell has begun", () => existsSync(begun));
        child.kill(end);
        return await child.exited;
      };
      expect(await run("SIGINT")).toBe(130);
      expect(await other.run("marks")).toMatchObject({ value: "1" });
      await run("SIGKILL");
      await until("nothing of omp is left", () => processesWith(`HOME=${place.home}`).length === 0);
      expect(isRunning(foreign.pid)).toBe(true);
      // Nobody was left to interrupt the cell: its owner can.
      process.kill(foreign.pid, "SIGINT");
      expect(await other.run("marks")).toMatchObject({ value: "2" });
    });
  });
}

describeWithPython(testPython, "omp --kernel", () => {
  test("gives a model the kernel, and tells it whose it is", async () => {
    const place = temporaryPlace();
    const foreign = await startForeignKernel();
    const other = await SecondClient.connect(foreign.file);
    await other.run("theirs = 20");
    const script = join(place.project, "script.json");
    const input = { cells: [{ code: "theirs + 1" }] };
    writeFileSync(
      script,
      JSON.stringify({ turns: [{ toolCalls: [{ name: "python", input }] }, { text: "done" }] }),
    );
    const args = ["-p", "go", "-m", `script:${script}`, "--kernel", foreign.file];
    const { stdout, exitCode } = await omp([...args, "--output-format", "stream-json"], { place });
    expect(exitCode).toBe(0);
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.find(({ type }) => type === "tool_result").output).toMatch(
      /^\[omp did not start this kernel\. .+\]\n21$/,
    );
    expect(foreign.isAlive()).toBe(true);
  });

  test("finds a notebook's kernel by its id, and another omp's by the one that omp kernel list tells", async () => {
    const place = temporaryPlace();
    const foreign = await startForeignKernel();
    const runtime = join(place.home, ".local/share/jupyter/runtime");
    mkdirSync(runtime, { recursive: true });
    symlinkSync(foreign.file, join(runtime, "kernel-0f8fad5b-d9cb-469f-a165-70867728950e.json"));
    const named = await omp(["tool", "python", cell("1 + 1"), "--kernel", "0f8fad5b"], { place });
    expect(named).toMatchObject({ exitCode: 0, stderr: "" });
    expect(named.stdout).toEndWith("\n2\n");

    // Its own runtime directory, so that the list holds no kernels of other tests.
    const env = { XDG_RUNTIME_DIR: place.home, VIRTUAL_ENV: testPython.venv };
    const first = started(["tool", "--batch"], place, env);
    const begin = { id: 1, name: "python", input: { cells: [{ code: "first = 'omp'" }] } };
    first.stdin.write(`${JSON.stringify(begin)}\n`);
    await first.stdin.flush();
    // A kernel is on the list before its first cell has run.
    await first.stdout.getReader().read();
    const ids = async () => {
      const { stdout } = await omp(["kernel", "list", "--json"], { place, env });
      const places: readonly { place: string; kernels: readonly { id: string; owner_pid: number }[] }[] =
        JSON.parse(stdout);
      return places[0]?.kernels.filter(({ owner_pid }) => owner_pid === first.pid).map(({ id }) => id) ?? [];
    };
    const [id = ""] = await ids();
    const second = await omp(["tool", "python", cell("first"), "--kernel", id], { place, env });
    expect(second.stdout).toEndWith("\n'omp'\n");
    first.stdin.end();
    expect(await first.exited).toBe(0);
  });

  test("is bad usage with a file that is none, and a failed call with one whose kernel is gone", async () => {
    const place = temporaryPlace();
    const bad = join(place.project, "bad.json");
    writeFileSync(bad, "{}");
    const line = `omp: --kernel: '${bad}' is not a connection file: it has no ip (KERNEL_FILE)\n`;
    for (const args of [["tool"], ["tool", "--batch"], ["-p", "hi", "-m", "demo"]])
      expect(await omp([...args, "--kernel", "bad.json"], { place })).toMatchObject({
        exitCode: 2,
        stderr: line,
      });
    expect(await omp(["tool", "--kernel", "bad.json"], { place, env: { PI_PY: "bash" } })).toMatchObject({
      exitCode: 2,
      stderr:
        "omp: --kernel: there is no python tool to use it: PI_PY or python.toolMode leaves bash only (PYTHON_OFF)\n",
    });
    const foreign = await startForeignKernel();
    await foreign.kill();
    const gone = await omp(["tool", "python", cell("1"), "--kernel", foreign.file], { place });
    expect(gone).toMatchObject({
      exitCode: 1,
      stdout: `python: nothing answers at the kernel of ${foreign.file}: it has ended, with all its state, or cannot be reached from here; omp does not start another one (KERNEL_UNREACHABLE)\n`,
    });
    const headless = await omp(["-p", "hi", "-m", "demo", "--kernel", foreign.file], { place });
    expect(headless.stderr).toContain("omp: continuing without the python tool: python: nothing answers at");
  });
});
