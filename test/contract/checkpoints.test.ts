/** Checkpoints of kernels on this machine: what a woken kernel has, what it cannot have, and that nothing else notices. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Kernel, ParkedKernel } from "../../src/kernel/kernel.ts";
import { processesLeft } from "../kernel/local/left-behind.ts";
import { localKernels, runCell, type TestKernels } from "../support/kernels.ts";
import { isRunning } from "../support/processes.ts";
import { describeWithPython, olderPythons, pythonsUnderTest, testPython } from "../support/python.ts";
import { until } from "../support/until.ts";

const signal = new AbortController().signal;

async function park(kernel: Kernel): Promise<ParkedKernel> {
  const parking = await kernel.park?.(signal);
  if (parking?.kind !== "parked") throw new Error(`not parked: ${parking?.reason}`);
  return parking.parked;
}

/** The value of a cell's last expression, or what it printed. */
async function run(kernel: Kernel, code: string): Promise<string> {
  const { value, stdout, error, evalue } = await runCell(kernel, code);
  if (error !== undefined) throw new Error(`${error}: ${evalue}`);
  return value ?? stdout;
}

const STATE = `
import os, sys, random, json
random.seed(7)
numbers = [1, 2]
def counter():
    count = 0
    def step():
        nonlocal count
        count += 1
        return count
    return step
step = counter()
step()
squares = (n * n for n in range(100))
next(squares), next(squares)
class Point:
    def __init__(self, x): self.x = x
point = Point(3)
with open("lines.txt", "w") as file: _ = file.write("first\\nsecond\\nthird\\n")
lines = open("lines.txt")
_ = lines.readline()
os.environ["CHOSEN"] = "yes"
os.makedirs("below", exist_ok=True)
os.chdir("below")
sys.path.append("/somewhere")
get_ipython().register_magic_function(lambda line: line.upper(), magic_kind="line", magic_name="shout")
`;
const LOOK = `json.dumps([numbers, step(), next(squares), point.x, type(point) is Point, lines.readline(), os.environ["CHOSEN"],
  os.path.basename(os.getcwd()), sys.path[-1], random.random(), get_ipython().run_line_magic("shout", "hi")])`;
const CHANGE = `numbers.append(9); point.x = 8; step(); next(squares); lines.read(); os.environ["CHOSEN"] = "no"; os.chdir("/"); sys.path.pop(); random.seed(1)
get_ipython().register_magic_function(lambda line: "gone", magic_kind="line", magic_name="shout")`;

const everyPython =
  process.env["OMP_TEST_QUICK"] === "1" ? [testPython] : [...pythonsUnderTest, ...olderPythons];

for (const python of everyPython) {
  describeWithPython(python, `a checkpoint, ${python.name}`, () => {
    let made: TestKernels;
    let kernel: Kernel;
    beforeAll(async () => {
      made = localKernels({ python: python.path, useForkServer: true, forksFirst: true }, { lasts: "file" });
      kernel = await made.kernels.start({ cwd: made.home });
    });
    afterAll(() => made.kernels.close());

    test("holds the state of its moment, for any number of kernels, whatever any of them does", async () => {
      await run(kernel, STATE);
      const parked = await park(kernel);
      expect(parked.notHeld).toEqual([]);
      const first = await parked.wake(signal);
      const then = await run(first, LOOK);
      expect(JSON.parse(then.slice(1, -1).replaceAll("\\\\", "\\"))).toEqual([
        [1, 2],
        2,
        4,
        3,
        true,
        "second\n",
        "yes",
        "below",
        "/somewhere",
        0.32383276483316237,
        "HI",
      ]);
      await run(first, CHANGE);
      expect(await run(kernel, LOOK)).toBe(then);
      await run(kernel, CHANGE);
      const second = await parked.wake(signal);
      expect(await run(second, LOOK)).toBe(then);
      const digests = await parked.digests(signal);
      expect(digests.get("numbers")).toEqual(expect.any(String));
      const later = await park(second);
      const changed = await later.digests(signal);
      const names = [...digests.keys()].filter((name) => digests.get(name) !== changed.get(name));
      expect(names).toEqual(["step", "squares", "lines"]);
      for (const each of [parked, later]) each.drop();
      await Promise.all([first.shutdown(), second.shutdown(), parked.exited, later.exited]);
      expect(await run(kernel, `os.chdir(${JSON.stringify(made.home)}); numbers`)).toBe("[1, 2, 9]");
    });

    test("wakes to a whole kernel: output, displays, counters, interrupts, errors, and checkpoints of its own", async () => {
      await run(kernel, "import os, sys, subprocess\nmark = 'here'");
      const parked = await park(kernel);
      const woken = await parked.wake(signal);
      parked.drop();
      const before = Number(await run(kernel, "get_ipython().execution_count"));
      expect(await run(woken, "get_ipython().execution_count")).toBe(String(before));
      const printed = await runCell(
        woken,
        "print('out'); print('err', file=sys.stderr); _ = subprocess.run(['echo', 'child'])\nmark",
      );
      expect([printed.stdout, printed.stderr, printed.value]).toEqual(["out\nchild\n", "err\n", "'here'"]);
      const shown = await runCell(
        woken,
        "from IPython.display import HTML, display\ndisplay(HTML('<b>x</b>'))\n1/0",
      );
      expect([shown.outputs, shown.error]).toEqual([["display_data", "error"], "ZeroDivisionError"]);
      const stop = new AbortController();
      const endless = runCell(woken, "print('on', flush=True)\nwhile True: pass", { signal: stop.signal });
      setTimeout(() => stop.abort(), 50);
      expect((await endless).error).toBe("KeyboardInterrupt");
      const again = await park(woken);
      const third = await again.wake(signal);
      expect(await run(third, "mark")).toBe("'here'");
      again.drop();
      await third.shutdown();
      await woken.shutdown();
      expect(await run(kernel, "mark")).toBe("'here'");
    });

    test("says what it will not hold, and leaves that alone", async () => {
      await run(
        kernel,
        `
import asyncio, os, socket, sqlite3, subprocess, threading
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
peer, _ = server.accept()
release = threading.Event()
worker = threading.Thread(target=release.wait, name="Worker", daemon=True)
worker.start()
child = subprocess.Popen(["sleep", "100"])
database = sqlite3.connect("data.db")
_ = database.execute("create table if not exists t (x)")
database.commit()
log = open("log.txt", "w")
async def tick(): await asyncio.sleep(100)
task = asyncio.get_running_loop().create_task(tick(), name="Ticker")`,
      );
      const parked = await park(kernel);
      const port = await run(kernel, "server.getsockname()[1]");
      const own = await run(kernel, "client.getsockname()[1]");
      const child = await run(kernel, "child.pid");
      expect([...parked.notHeld].sort()).toEqual(
        [
          "the thread Worker",
          "the asyncio task Ticker (tick)",
          `the child process ${child} (sleep)`,
          `the socket of port ${port}`,
          `an open connection to 127.0.0.1:${port}`,
          `an open connection to 127.0.0.1:${own}`,
          `the open database ${made.home}/data.db`,
          `what is written to the open file ${made.home}/log.txt`,
        ].sort(),
      );
      const woken = await parked.wake(signal);
      expect(await run(woken, "(client.recv(1), worker.is_alive())")).toBe("(b'', False)");
      await woken.shutdown({ graceMs: 0 });
      parked.drop();
      expect(
        await run(kernel, "peer.sendall(b'still'); (client.recv(5), worker.is_alive(), child.poll())"),
      ).toBe("(b'still', True, None)");
      await run(
        kernel,
        "task.cancel(); release.set(); child.kill(); _ = child.wait(); database.close(); log.close()\nfor each in (server, client, peer): each.close()",
      );
    });

    test("is the fork server's process: code that waits for children sees none, and it outlives its kernel", async () => {
      const other = await made.kernels.start({ cwd: made.home });
      await run(other, "value = 5");
      const parked = await park(other);
      await expect(run(other, "import os\nos.wait()")).rejects.toThrow("ChildProcessError");
      process.kill(other.facts.pid, "SIGKILL");
      await other.exited;
      const woken = await parked.wake(signal);
      expect(await run(woken, "value")).toBe("5");
      expect(await run(woken, "import os; os.getpgrp() == os.getsid(0) == os.getpid()")).toBe("True");
      process.kill(woken.facts.pid, "SIGKILL");
      expect(await woken.exited).toMatchObject({ reason: "killed by SIGKILL", expected: false });
      parked.drop();
      await parked.exited;
      expect(parked.isAlive).toBe(false);
      await expect(parked.wake(signal)).rejects.toThrow("copy of the kernel");
    });
  });
}

describeWithPython(testPython, "what becomes of checkpoints", () => {
  test("they end with their fork server, and with omp's kernels", async () => {
    const made = localKernels({ useForkServer: true, forksFirst: true });
    const kernel = await made.kernels.start({ cwd: made.home });
    const parked = await park(kernel);
    const woken = await parked.wake(signal);
    const server = Number(await run(kernel, "import os; os.getppid()"));
    process.kill(server, "SIGKILL");
    await Promise.all([kernel.exited, woken.exited, parked.exited]);
    await until("nothing is left", () => processesLeft(made).length === 0);
    const next = await made.kernels.start({ cwd: made.home });
    const again = await park(next);
    await again.wake(signal);
    await made.kernels.close();
    await again.exited;
    expect(processesLeft(made)).toEqual([]);
  });

  test("one that cannot run is given up, with the reason, and the kernel goes on", async () => {
    const made = localKernels({ useForkServer: true, forksFirst: true });
    const kernel = await made.kernels.start({ cwd: made.home });
    await run(
      kernel,
      "import os, threading\nos.register_at_fork(after_in_child=lambda: threading.Event().wait())",
    );
    expect(await kernel.park?.(signal)).toEqual({
      kind: "impossible",
      reason:
        "copy of the kernel: it does not run: something in it waits for a thread that only the kernel has",
    });
    expect(await run(kernel, "1 + 1")).toBe("2");
    const server = Number(await run(kernel, "os.getppid()"));
    expect(processesLeft(made).sort()).toEqual([server, kernel.facts.pid].sort());
    expect(isRunning(server)).toBe(true);
  });

  test("there is none of a kernel that ends meanwhile, and that is its reason", async () => {
    const made = localKernels({ useForkServer: true, forksFirst: true });
    const kernel = await made.kernels.start({ cwd: made.home });
    process.kill(kernel.facts.pid, "SIGSTOP");
    const parking = kernel.park?.(signal);
    process.kill(kernel.facts.pid, "SIGKILL");
    expect(await parking).toEqual({ kind: "impossible", reason: "the kernel died: killed by SIGKILL" });
  });

  test("there is none where the driver of a GPU is loaded, whichever library uses it", async () => {
    const made = localKernels({ useForkServer: true, forksFirst: true });
    const kernel = await made.kernels.start({ cwd: made.home });
    const load = (name: string) =>
      `import ctypes, shutil, tornado.speedups\n_ = ctypes.CDLL(shutil.copy(tornado.speedups.__file__, "./${name}"))`;
    // What merely could use one loads this.
    await run(kernel, load("libcudart.so.12"));
    const parked = await park(kernel);
    parked.drop();
    await run(kernel, load("libcuda.so.1"));
    expect(await kernel.park?.(signal)).toEqual({
      kind: "impossible",
      reason: "libcuda.so.1 is loaded, and what it has on the GPU cannot be copied",
    });
  });

  test("a kernel that was started plainly has none, and says why", async () => {
    const { kernels, home } = localKernels();
    const kernel = await kernels.start({ cwd: home });
    expect(await kernel.park?.(signal)).toEqual({
      kind: "impossible",
      reason: "it was not started by a fork server; setting python.forkServer allows that",
    });
  });
});
