import { afterEach, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { readConnection } from "../../../src/kernel/existing/connection.ts";
import { ExistingKernels } from "../../../src/kernel/existing/existing-kernels.ts";
import { KernelPool } from "../../../src/kernel/pool/pool.ts";
import { ArtifactStore } from "../../../src/output/artifacts.ts";
import { pythonTool } from "../../../src/tools/python/python.ts";
import { ToolRegistry } from "../../../src/tools/registry.ts";
import { cuttableProxy } from "../../support/cuttable-proxy.ts";
import { type ForeignKernel, startForeignKernel } from "../../support/foreign-kernels.ts";
import { temporaryDirectory } from "../../support/home.ts";
import { slow } from "../../support/limits.ts";
import { describeWithPython, pythonsUnderTest, testPython } from "../../support/python.ts";
import { SecondClient } from "../../support/second-client.ts";
import { cellsOf, type PythonCall } from "./python-session.ts";

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** The python tool in an existing kernel that omp did not start, with the pool that a session has for it. */
function sessionIn(file: string, directory = temporaryDirectory()) {
  const host = new ExistingKernels({ connection: readConnection(file) });
  const pool = new KernelPool({ host, mode: "session", idleMs: 0, maxSessions: 4, isBorrowed: true });
  open.push(() => pool.close());
  const artifacts = new ArtifactStore({
    directory: join(directory, "artifacts"),
    maxTotalBytes: 1e9,
    maxAgeMs: 1e9,
  });
  const tool = pythonTool({
    kernels: async () => pool,
    artifacts: () => artifacts,
    existing: file,
  });
  const registry = new ToolRegistry([tool]);
  const call = (input: unknown, { signal, onUpdate }: PythonCall = {}) =>
    registry.run("python", input, {
      sessionId: "s",
      cwd: directory,
      projectRoot: directory,
      signal: signal ?? new AbortController().signal,
      onUpdate: onUpdate ?? (() => undefined),
    });
  return {
    pool,
    tool,
    call,
    run: (code: string, timeout?: number) => call({ cells: [{ code }], timeout }),
    /** Connects, so that what comes is no first call. */
    begin: async () => void (await call({ cells: [{ code: "pass" }] })),
  };
}

/** Code that runs until the test lets it go. */
const GATED = "import pathlib, time\nwhile not pathlib.Path('go').exists(): time.sleep(0.01)\nprint('whole')";

function letGo({ cwd }: ForeignKernel): void {
  writeFileSync(join(cwd, "go"), "");
}

const BUSY =
  "[Nothing was run: other code runs in the kernel, of another client or of a cell that did not stop, and was left alone. Try again later, or ask the user.]";

for (const version of pythonsUnderTest) {
  describeWithPython(version, `the python tool in an existing kernel, ${version.name}`, () => {
    test("says once where it is, and works with what is there", async () => {
      const foreign = await startForeignKernel({ python: version });
      const other = await SecondClient.connect(foreign.file);
      await other.run("theirs = [1, 2]");
      const python = sessionIn(foreign.file);
      const first = await python.run("theirs.append(3)\ntheirs");
      expect(first.isError).toBe(false);
      expect(first.output).toMatch(
        /^\[omp did not start this kernel\. It runs Python 3\.[\d.]+ on .+, in .+, and sees the project's files\.\]\n\[1, 2, 3\]$/,
      );
      expect(first.output).toContain(` on ${hostname()}, in ${foreign.cwd}, and`);
      expect(first.details.cwd).toBe(foreign.cwd);
      expect((await python.run("sum(theirs)")).output).toBe("6");
      expect(await other.run("theirs")).toMatchObject({ value: "[1, 2, 3]" });
    });

    test("waits for the code of others, within the call's limit and outside the cell's", async () => {
      const foreign = await startForeignKernel({ python: version });
      const other = await SecondClient.connect(foreign.file);
      const python = sessionIn(foreign.file);
      await python.begin();
      await other.begin(GATED);
      const late = await python.run("1", 1);
      expect(late).toMatchObject({
        isError: true,
        output: `Command timed out after 1 seconds\n${BUSY}`,
        details: { timedOut: true, cancelled: true, cells: [{ status: "not run" }] },
      });
      const abort = new AbortController();
      const given = await python.call(
        { cells: [{ code: "1" }] },
        { signal: abort.signal, onUpdate: () => abort.abort() },
      );
      expect(given.output).toBe("python: cancelled (CANCELLED)");
      const shown: string[] = [];
      const onUpdate = (text: string) => {
        if (shown.push(text) === 1) letGo(foreign);
      };
      const served = await python.call({ cells: [{ code: "'served'" }] }, { onUpdate });
      expect(served).toMatchObject({ isError: false, output: "'served'" });
      expect(shown[0]).toBe("[waiting: other code runs in the kernel]\n");
      expect(await other.end()).toEqual({ stdout: "whole\n", value: null, error: null });
    });

    test("ends its own cell at the limit, and leaves the kernel to the others", async () => {
      const foreign = await startForeignKernel({ python: version });
      const other = await SecondClient.connect(foreign.file);
      const python = sessionIn(foreign.file);
      await python.begin();
      const result = await python.run("kept = 1\nwhile True: pass", 1);
      expect(result.output).toEndWith("KeyboardInterrupt:\nCommand timed out after 1 seconds");
      expect(cellsOf(result)).toMatchObject([{ status: "interrupted" }]);
      expect(await other.run("kept")).toMatchObject({ value: "1" });
    });

    test(
      "leaves a cell alone that does not listen, and says that it still runs",
      async () => {
        const foreign = await startForeignKernel({ python: version });
        const python = sessionIn(foreign.file);
        await python.begin();
        const deaf = [
          "import pathlib, signal",
          "before = signal.signal(signal.SIGINT, signal.SIG_IGN)",
          "print('begun', flush=True)",
          "while not pathlib.Path('go').exists(): pass",
          "signal.signal(signal.SIGINT, before)",
          "print('at last')",
        ].join("\n");
        const abort = new AbortController();
        const onUpdate = (text: string) => {
          if (text.includes("begun")) abort.abort();
        };
        const result = await python.call({ cells: [{ code: deaf }] }, { signal: abort.signal, onUpdate });
        expect(result.output).toBe(
          [
            "begun",
            "StillRunning: the cell does not respond to interrupts and is still running. omp did not start this kernel and does not kill it: it stays busy until the cell ends",
            "python: cancelled (CANCELLED)",
          ].join("\n"),
        );
        expect(foreign.isAlive()).toBe(true);
        expect((await python.run("1", 1)).output).toEndWith(BUSY);
        letGo(foreign);
        expect((await python.run("'free'")).output).toBe("[printed since the last call]\nat last\n'free'");
      },
      slow(30, "omp waits fifteen seconds for ipykernel"),
    );

    test("that dies is told, with nothing in its place until its owner starts it again", async () => {
      const foreign = await startForeignKernel({ python: version, transport: "ipc" });
      const python = sessionIn(foreign.file);
      await python.begin();
      const onUpdate = (text: string) => {
        if (text.includes("last words")) void foreign.kill();
      };
      const dying = "print('last words', flush=True)\nwhile True: pass";
      const result = await python.call({ cells: [{ code: dying }] }, { onUpdate });
      expect(result.output).toBe(
        "last words\n[The kernel died: the connection to it ended. All variables, imports and other state are gone. omp did not start it and does not replace it: ask the user to start it again, and the next call will use it.]",
      );
      expect(result.details.kernelRestarted).toBe(false);
      expect((await python.run("1")).output).toBe(
        `python: nothing answers at the kernel of ${foreign.file}: it has ended, with all its state, or cannot be reached from here; omp does not start another one (KERNEL_UNREACHABLE)`,
      );
      await startForeignKernel({ python: version, file: foreign.file });
      expect((await python.run("'dying' in dir()")).output).toEndWith("\nFalse");
    });

    test("that its owner starts anew between two calls is told as another", async () => {
      const foreign = await startForeignKernel({ python: version, transport: "ipc" });
      const python = sessionIn(foreign.file);
      await python.begin();
      const gone = python.pool.sessions[0]?.kernel?.exited;
      await foreign.kill();
      await gone;
      await startForeignKernel({ python: version, file: foreign.file });
      const result = await python.run("'here'");
      expect(result.output.split("\n")[0]).toBe(
        "[The kernel died between two calls: the connection to it ended. Its owner has restarted it, and omp now uses the new one: all variables, imports and other state are gone.]",
      );
      expect(result.output).toEndWith("\n'here'");
      expect(result.details.kernelRestarted).toBe(true);
    });
  });
}

describeWithPython(testPython, "the python tool in an existing kernel that omp did not start", () => {
  test("refuses to empty it and to move it, and says so beforehand", async () => {
    const foreign = await startForeignKernel();
    const python = sessionIn(foreign.file);
    const cells = [{ code: "1" }];
    expect((await python.call({ cells, reset: true })).output).toBe(
      "python: reset is not possible: omp did not start this kernel, and its state belongs to others; use new names, or delete your own (KERNEL_NOT_OURS)",
    );
    expect((await python.call({ cells, cwd: "/" })).output).toBe(
      "python: cwd is not possible: omp did not start this kernel, and it has its own directory; use absolute paths in the cells (KERNEL_NOT_OURS)",
    );
    expect(await python.call({ cells, reset: false })).toMatchObject({ isError: false });
    const { description, inputSchema } = python.tool;
    expect(description).toContain(`its connection file is ${foreign.file}`);
    for (const promised of ["read_text", "starts from an empty kernel"])
      expect(description).not.toContain(promised);
    expect(inputSchema["properties"]).toMatchObject({
      reset: { description: "Refused: omp did not start this kernel." },
    });
  });

  test("finds the same kernel again after a broken connection, with its state", async () => {
    const foreign = await startForeignKernel();
    const fields = JSON.parse(await Bun.file(foreign.file).text());
    const ports = ["shell_port", "iopub_port", "control_port", "hb_port"];
    const proxies = await Promise.all(ports.map((port) => cuttableProxy(`http://127.0.0.1:${fields[port]}`)));
    for (const [index, port] of ports.entries())
      fields[port] = Number(new URL(proxies[index]?.url ?? "").port);
    const file = join(temporaryDirectory(), "tunnel.json");
    writeFileSync(file, JSON.stringify(fields));
    const python = sessionIn(file);
    await python.run("kept = 1");
    const lost = python.pool.sessions[0]?.kernel?.exited;
    for (const proxy of proxies) proxy.cut();
    await lost;
    for (const proxy of proxies) proxy.restore();
    const result = await python.run("kept");
    expect(result.output).toEndWith("\n1");
    expect(result.output).not.toContain("gone");
    expect(result.details.kernelRestarted).toBeUndefined();
    const onUpdate = (text: string) => {
      if (!text.includes("begun")) return;
      for (const proxy of proxies) proxy.cut();
      for (const proxy of proxies) proxy.restore();
    };
    const cut = await python.call(
      { cells: [{ code: "print('begun', flush=True)\nimport time\ntime.sleep(1)" }] },
      { onUpdate },
    );
    expect(cut.output).toBe(
      "begun\n[The connection to the kernel broke and was restored. It is the same kernel, with its state; whether this cell has ended there is not known.]",
    );
    expect((await python.run("kept")).output).toEndWith("1");
  });

  test("runs a cell that another's error has dropped from the queue", async () => {
    const foreign = await startForeignKernel();
    const [first, second] = await Promise.all([
      SecondClient.connect(foreign.file),
      SecondClient.connect(foreign.file),
    ]);
    const python = sessionIn(foreign.file);
    await python.begin();
    await first.begin(`${GATED}\n1 / 0`);
    const mine = python.run("'served'");
    letGo(foreign);
    expect(await first.end()).toMatchObject({ error: "ZeroDivisionError" });
    expect((await mine).output).toBe("'served'");
    expect(await second.run("2")).toMatchObject({ value: "2" });
  });
});
