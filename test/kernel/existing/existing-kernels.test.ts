import { afterEach, expect, test } from "bun:test";
import { hostname } from "node:os";
import { join } from "node:path";
import { type ExistingConnection, readConnection } from "../../../src/kernel/existing/connection.ts";
import { ExistingKernels } from "../../../src/kernel/existing/existing-kernels.ts";
import { lookAtKernel } from "../../../src/kernel/existing/reach.ts";
import {
  type ForeignKernel,
  type ForeignOptions,
  startForeignKernel,
} from "../../support/foreign-kernels.ts";
import { temporaryDirectory } from "../../support/home.ts";
import { deafCell, kernelErrorOf, runCell } from "../../support/kernels.ts";
import { isStopped } from "../../support/processes.ts";
import { describeWithPython, pythonsUnderTest, testPython } from "../../support/python.ts";
import { SecondClient } from "../../support/second-client.ts";
import { until } from "../../support/until.ts";

const open: ExistingKernels[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((kernels) => kernels.close()));
});

function existing(connection: ExistingConnection, startTimeoutMs?: number): ExistingKernels {
  const kernels = new ExistingKernels({ connection, startTimeoutMs });
  open.push(kernels);
  return kernels;
}

async function attached({ file }: ForeignKernel, cwd = temporaryDirectory()) {
  const host = existing(readConnection(file));
  const kernel = await host.start({ cwd });
  const run = (code: string) => runCell(kernel, code);
  return { host, kernel, run };
}

/** What another client would notice of us. */
const TRACES = [
  "(lambda os, sys: [os.getcwd(), sorted(os.environ.items()), str(sys.stdout), str(sys.stderr), sys.path,",
  " [name for name in sys.modules if 'omp' in name.split('.')[0]], str(get_ipython().kernel.raw_input),",
  " str(get_ipython().init_user_ns), sorted(name for name in globals() if not name.startswith('_'))])",
  "(__import__('os'), __import__('sys'))",
].join("");

for (const python of pythonsUnderTest) {
  describeWithPython(python, `a kernel that runs already, ${python.name}`, () => {
    for (const transport of ["tcp", "ipc"] as const) {
      test(`shares its state over ${transport}, and its output with nobody`, async () => {
        const foreign = await startForeignKernel({ python, transport });
        const other = await SecondClient.connect(foreign.file);
        await other.run("shared = 41");
        const { run } = await attached(foreign);
        const [mine, theirs] = await Promise.all([
          run("for i in range(200): print('mine', flush=True)\nshared += 1\nshared"),
          other.run("for i in range(200): print('theirs', flush=True)"),
        ]);
        expect(mine.stdout).toBe("mine\n".repeat(200));
        expect(mine.value).toBe("42");
        expect(theirs).toEqual({ stdout: "theirs\n".repeat(200), value: null, error: null });
        expect(await other.run("shared")).toMatchObject({ value: "42" });
      });
    }

    test("is not changed by us, and lives on when we leave", async () => {
      const foreign = await startForeignKernel({ python });
      const other = await SecondClient.connect(foreign.file);
      const before = await other.run(TRACES);
      const { host, kernel, run } = await attached(foreign);
      expect((await run("1 + 1")).reply["execution_count"]).toBe(2);
      expect(await other.run(TRACES)).toEqual(before);
      await kernel.shutdown();
      await host.close();
      expect(kernel.state).toBe("shutdown");
      expect(await other.run(TRACES)).toEqual(before);
      expect(foreign.isAlive()).toBe(true);
    });

    test("says what it is and where, and whether our files are there", async () => {
      const foreign = await startForeignKernel({ python });
      const { kernel, run } = await attached(foreign);
      // By then at the latest.
      await run("pass");
      expect(kernel.facts).toMatchObject({
        pid: foreign.pid,
        executable: python.path,
        ipykernelVersion: python.packages["ipykernel"],
        location: { existing: foreign.file, host: hostname(), cwd: foreign.cwd, seesOurFiles: true },
      });
      const nowhere = await attached(foreign, join(foreign.cwd, "not", "there"));
      await nowhere.run("pass");
      expect(nowhere.kernel.facts.location.seesOurFiles).toBe(false);
      expect(nowhere.kernel.id).toBe(kernel.id);
      expect(await lookAtKernel(readConnection(foreign.file))).toMatchObject({
        version: kernel.facts.pythonVersion,
        implementation: expect.stringMatching(/^IPython \d/),
        kernelSession: kernel.id,
      });
    });

    test("that is busy with another's code can be connected to, and asked nothing that takes its time", async () => {
      const foreign = await startForeignKernel({ python });
      const other = await SecondClient.connect(foreign.file);
      await other.begin("import time\nwhile True: time.sleep(0.01)");
      const { kernel } = await attached(foreign);
      expect(kernel.facts).toMatchObject({ pid: 0, pythonVersion: expect.stringMatching(/^3\./) });
      expect(await kernel.isResponding()).toBe(true);
      const asked = kernel.ask("complete_request", { code: "ti", cursor_pos: 2 });
      expect((await kernelErrorOf(asked)).message).toBe(
        "python: other code is running in the kernel: it answers when that ends (KERNEL_BUSY)",
      );
    });

    test("is told of its end by another client", async () => {
      const foreign = await startForeignKernel({ python });
      const other = await SecondClient.connect(foreign.file);
      const { kernel, run } = await attached(foreign);
      await other.shutdownKernel();
      expect(await kernel.exited).toEqual({ reason: "another client shut it down", expected: false });
      expect((await kernelErrorOf(run("1"))).kind).toBe("died");
    });
  });
}

describeWithPython(testPython, "the key of a kernel that runs already", () => {
  const kernels: readonly (readonly [name: string, fields: ForeignOptions["fields"]])[] = [
    ["none", { key: "" }],
    ["for another digest", { signature_scheme: "hmac-sha512" }],
  ];
  for (const [name, fields] of kernels) {
    test(`may be ${name}`, async () => {
      const { run } = await attached(await startForeignKernel({ transport: "ipc", fields }));
      expect((await run("6 * 7")).value).toBe("42");
    });
  }

  test("that is wrong leads to a line that says so, and not to a wait without end", async () => {
    const { file, info } = readConnection((await startForeignKernel()).file);
    const wrong = { file, info: { ...info, key: "another" } };
    const error = await kernelErrorOf(existing(wrong, 1_000).start({ cwd: "/" }));
    expect(error.message).toBe(
      `python: the kernel of ${file} is there, but said nothing for 1 second: it runs code that lets nothing else run, or its key is not the one in the file (KERNEL_START_TIMEOUT)`,
    );
    expect(await lookAtKernel(wrong)).toBeUndefined();
  });
});

describeWithPython(testPython, "a connection file whose kernel", () => {
  for (const transport of ["tcp", "ipc"] as const) {
    test(`has ended (${transport}) is named in one line`, async () => {
      const foreign = await startForeignKernel({ transport });
      const connection = readConnection(foreign.file);
      await foreign.kill();
      const line = `python: nothing answers at the kernel of ${foreign.file}: it has ended, with all its state, or cannot be reached from here; omp does not start another one (KERNEL_UNREACHABLE)`;
      const [start, look] = await Promise.all([
        kernelErrorOf(existing(connection).start({ cwd: "/" })),
        kernelErrorOf(lookAtKernel(connection)),
      ]);
      expect([start.message, look.message]).toEqual([line, line]);
    });
  }

  test("is something else entirely is named, too", async () => {
    using server = Bun.serve({ port: 0, fetch: () => new Response("no kernel") });
    const { file, info } = readConnection((await startForeignKernel()).file);
    const port = server.port ?? 0;
    const connection = {
      file,
      info: { ...info, shellPort: port, iopubPort: port, controlPort: port, hbPort: port },
    };
    expect((await kernelErrorOf(lookAtKernel(connection))).message).toMatch(
      /^python: (?:something other than a kernel|nothing) answers at the kernel of .+ \(KERNEL_UNREACHABLE\)$/,
    );
  });

  test("is ending and hangs up is tried again, and named like one that has ended", async () => {
    const { file, info } = readConnection((await startForeignKernel()).file);
    let calls = 0;
    using server = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        open: (socket) => {
          calls += 1;
          socket.end();
        },
        data: () => undefined,
      },
    });
    const connection = { file, info: { ...info, shellPort: server.port } };
    expect((await kernelErrorOf(lookAtKernel(connection))).message).toBe(
      `python: nothing answers at the kernel of ${file}: it has ended, with all its state, or cannot be reached from here; omp does not start another one (KERNEL_UNREACHABLE)`,
    );
    expect(calls).toBeGreaterThan(2);
  });

  test("speaks another language is refused by its name", async () => {
    const script = join(import.meta.dir, "fixtures", "other_language.py");
    const foreign = await startForeignKernel({ script });
    const error = await kernelErrorOf(existing(readConnection(foreign.file)).start({ cwd: "/" }));
    expect(error).toMatchObject({
      kind: "unsupported",
      message: `python: the kernel of ${foreign.file} runs julia, and the python tool needs one that runs Python (KERNEL_LANGUAGE)`,
    });
    expect(foreign.isAlive()).toBe(true);
  });
});

describeWithPython(testPython, "a cell that waits in the kernel's own queue", () => {
  test("when it is aborted is interrupted as soon as it begins, and not before", async () => {
    const foreign = await startForeignKernel();
    const other = await SecondClient.connect(foreign.file);
    let isArmed = false;
    const kernels = new ExistingKernels({
      connection: readConnection(foreign.file),
      // Stands still from the moment in which the cell is sent: nobody can tell that from code of others.
      trace: (line) => {
        if (isArmed && line.startsWith("-> shell execute_request")) process.kill(foreign.pid, "SIGSTOP");
      },
    });
    open.push(kernels);
    const kernel = await kernels.start({ cwd: temporaryDirectory() });
    // On a slow machine the first cell is also a question of where the kernel is.
    await runCell(kernel, "pass");
    isArmed = true;
    const abort = new AbortController();
    const running = runCell(kernel, "while True: pass", { signal: abort.signal });
    await until("it was sent", () => isStopped(foreign.pid));
    abort.abort();
    expect(await running).toMatchObject({
      error: "NotBegun",
      evalue:
        "the cell is queued in the kernel after other code, which was not interrupted. It will be interrupted as soon as it starts",
    });
    process.kill(foreign.pid, "SIGCONT");
    // It has begun, or it would not be there, and has ended, or this would not run. Which client is served first is the kernel's choice.
    let isOver: string | null = "False";
    while (isOver === "False") ({ value: isOver } = await other.run("'while True: pass' in In[:-1]"));
    expect(isOver).toBe("True");
  });
});

describeWithPython(testPython, "leaving a kernel that runs already", () => {
  test("while a cell of ours runs interrupts that cell", async () => {
    const foreign = await startForeignKernel();
    const other = await SecondClient.connect(foreign.file);
    const { host, kernel } = await attached(foreign);
    const reading = async () => {
      for await (const { header } of kernel.execute("print(1, flush=True)\nwhile True: pass"))
        if (header.msg_type === "stream") void host.close();
    };
    expect((await kernelErrorOf(reading())).kind).toBe("closed");
    expect(await other.run("'free again'")).toMatchObject({ value: "'free again'" });
  });

  test("while a cell of ours is deaf leaves it running", async () => {
    const foreign = await startForeignKernel();
    const { host, kernel } = await attached(foreign);
    const reading = async () => {
      for await (const { header } of kernel.execute(deafCell))
        if (header.msg_type === "stream") void host.close();
    };
    expect((await kernelErrorOf(reading())).kind).toBe("closed");
    expect(foreign.isAlive()).toBe(true);
  });
});
