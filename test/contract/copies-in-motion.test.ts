/** Copies of kernels whose other threads are at work, or whose surroundings are gone: the kernel itself is never lost for it. */

import { expect, test } from "bun:test";
import type { Kernel } from "../../src/kernel/kernel.ts";
import { localKernels, runCell } from "../support/kernels.ts";
import { describeWithPython, testPython } from "../support/python.ts";

const signal = new AbortController().signal;

async function startKernel() {
  const { kernels, home } = localKernels({ useForkServer: true, forksFirst: true });
  return { kernel: await kernels.start({ cwd: home }), home };
}

/** The value of a cell's last expression. */
async function run(kernel: Kernel, code: string): Promise<string | undefined> {
  const { value, error, evalue } = await runCell(kernel, code);
  if (error !== undefined) throw new Error(`${error}: ${evalue}`);
  return value;
}

const COMPUTE = `
import threading, numpy
stop = []
data = numpy.ones((300, 300))
def compute():
    while not stop: data @ data
workers = [threading.Thread(target=compute, daemon=True, name=f"Worker-{n}") for n in range(2)]
for each in workers: each.start()`;

const HOLD = `
import threading, _imp, logging, concurrent.futures.thread
held, over = threading.Event(), threading.Event()
def hold(acquire, release):
    acquire(); held.set(); over.wait(); release()
def start(acquire, release):
    held.clear(); over.clear()
    threading.Thread(target=hold, args=(acquire, release), daemon=True).start()
    held.wait()`;

/** What scikit-learn and torch do: workers of OpenMP's, which the main thread uses again. Counts the threads that a region runs in. */
const OPENMP = `
import ctypes, threading
library = ctypes.CDLL("libgomp.so.1")
@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def region(_): seen.add(threading.get_native_id())
def count():
    global seen
    seen = set()
    library.GOMP_parallel(region, None, 3, 0)
    return len(seen)
count()`;

describeWithPython(testPython, "a copy of a kernel", () => {
  test("is made between two products of arrays that other threads compute, or is not made", async () => {
    const { kernel } = await startKernel();
    await run(kernel, COMPUTE);
    for (let round = 0; round < 5; round += 1) {
      const parking = await kernel.park?.(signal);
      if (parking?.kind === "parked") {
        expect(parking.parked.notHeld.slice(0, 2)).toEqual(["the thread Worker-0", "the thread Worker-1"]);
        const woken = await parking.parked.wake(signal);
        expect(await run(woken, "(data @ data).sum()")).toBe("np.float64(27000000.0)");
        await woken.shutdown({ graceMs: 0 });
        parking.parked.drop();
      } else {
        expect(parking?.reason).toBe(
          "copy of the kernel: threads compute without a pause (Worker-0, Worker-1), which a fork could wait for",
        );
      }
      expect(await run(kernel, "data.sum(), sum(each.is_alive() for each in workers)")).toBe(
        "(np.float64(90000.0), 2)",
      );
    }
  });

  test("has OpenMP, with workers of its own", async () => {
    const { kernel } = await startKernel();
    await run(kernel, OPENMP);
    const parking = await kernel.park?.(signal);
    if (parking?.kind !== "parked") throw new Error(`not parked: ${parking?.reason}`);
    expect(parking.parked.notHeld).toEqual([]);
    const woken = await parking.parked.wake(signal);
    expect([await run(woken, "count()"), await run(kernel, "count()")]).toEqual(["3", "3"]);
  });

  test("is not made while a thread holds what a fork waits for", async () => {
    const { kernel } = await startKernel();
    await run(kernel, HOLD);
    const locks: readonly [lock: string, functions: string][] = [
      ["a lock of logging", "logging._lock.acquire, logging._lock.release"],
      [
        "a lock of concurrent.futures.thread",
        "concurrent.futures.thread._global_shutdown_lock.acquire, concurrent.futures.thread._global_shutdown_lock.release",
      ],
      ["the lock of imports", "_imp.acquire_lock, _imp.release_lock"],
    ];
    for (const [lock, functions] of locks) {
      await run(kernel, `start(${functions})`);
      expect(await kernel.park?.(signal)).toEqual({
        kind: "impossible",
        reason: `copy of the kernel: a thread holds ${lock}, which a fork would wait for`,
      });
      await run(kernel, "over.set()");
    }
    const parking = await kernel.park?.(signal);
    expect(parking?.kind).toBe("parked");
  });

  test("is not made where code has replaced what it needs, and the reason comes at once", async () => {
    const { kernel } = await startKernel();
    await run(kernel, "import os\ndef fork(): raise LookupError('no fork')\nusual, os.fork = os.fork, fork");
    expect(await kernel.park?.(signal)).toEqual({
      kind: "impossible",
      reason: "copy of the kernel: LookupError: no fork",
    });
  });

  test("has the directory that was there, also one that was removed, and that of its name where there is one again", async () => {
    const { kernel, home } = await startKernel();
    await run(kernel, "import os\nos.mkdir('inner'); os.chdir('inner'); os.rmdir('../inner')\nx = 1");
    const parking = await kernel.park?.(signal);
    if (parking?.kind !== "parked") throw new Error(`not parked: ${parking?.reason}`);
    const nowhere = await parking.parked.wake(signal);
    expect(await run(nowhere, "x, os.readlink('/proc/self/cwd')")).toBe(`(1, '${home}/inner (deleted)')`);
    await run(kernel, `os.mkdir('${home}/inner')`);
    const there = await parking.parked.wake(signal);
    expect(await run(there, "x, os.getcwd()")).toBe(`(1, '${home}/inner')`);
  });

  test("has what code has put in the place of sys.stdout", async () => {
    const { kernel } = await startKernel();
    await run(
      kernel,
      "import io, sys\nusual, sys.stdout = sys.stdout, io.StringIO()\n_ = sys.stdout.write('a')",
    );
    const parking = await kernel.park?.(signal);
    if (parking?.kind !== "parked") throw new Error(`not parked: ${parking?.reason}`);
    const woken = await parking.parked.wake(signal);
    await run(woken, "print('b')");
    expect(await run(woken, "sys.stdout.getvalue()")).toBe("'ab\\n'");
    expect(await run(kernel, "sys.stdout.getvalue()")).toBe("'a'");
  });
});
