import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Kernel } from "../../../src/kernel/kernel.ts";
import { deafCell, kernelErrorOf, localKernels, runCell } from "../../support/kernels.ts";
import { isRunning, stop } from "../../support/processes.ts";
import { describeWithPython, testPython } from "../../support/python.ts";
import { until } from "../../support/until.ts";
import { processesLeft } from "./left-behind.ts";

async function started(lifetime: { lasts?: "file" } = {}) {
  const left = localKernels({}, lifetime);
  return { ...left, kernel: await left.kernels.start({ cwd: left.home }) };
}

/** Aborts when the cell has printed (and what is to happen before has); gives the error that the cell ends with. */
async function abortedOnceBegun(
  kernel: Kernel,
  { code, before = async () => undefined }: { code: string; before?: () => Promise<unknown> },
) {
  const abort = new AbortController();
  const reading = async () => {
    for await (const { header } of kernel.execute(code, { signal: abort.signal })) {
      if (header.msg_type !== "stream") continue;
      await before();
      abort.abort();
    }
  };
  return await kernelErrorOf(reading());
}

describeWithPython(testPython, "a kernel that does not listen", () => {
  test("because it was stopped does not respond; when it goes on it does", async () => {
    const { kernel } = await started();
    expect(await kernel.isResponding()).toBe(true);
    await stop(kernel.facts.pid);
    expect(await kernel.isResponding()).toBe(false);
    expect(await kernel.isResponding()).toBe(false);
    process.kill(kernel.facts.pid, "SIGCONT");
    expect(await kernel.isResponding()).toBe(true);
    expect((await runCell(kernel, "1 + 1")).value).toBe("2");
  });

  test("because it was stopped is shut down all the same", async () => {
    const { kernel, ...left } = await started();
    await stop(kernel.facts.pid);
    await kernel.shutdown();
    expect(await kernel.exited).toMatchObject({ expected: true });
    expect(processesLeft(left)).toEqual([]);
  });

  test("to a request on the control channel still hears the signal, and keeps its state", async () => {
    const { kernel } = await started();
    const answersOnly = [
      "kept, kernel = 1, get_ipython().kernel",
      "async def answer(stream, ident, parent):",
      "  kernel.session.send(stream, 'interrupt_reply', {'status': 'ok'}, parent, ident=ident)",
      "kernel.control_handlers['interrupt_request'] = answer",
    ].join("\n");
    expect((await runCell(kernel, answersOnly)).error).toBeUndefined();
    const code = "print('begun', flush=True)\nwhile True: pass";
    const abort = new AbortController();
    const errors = [];
    for await (const { header, content } of kernel.execute(code, { signal: abort.signal })) {
      if (header.msg_type === "stream") abort.abort();
      if (header.msg_type === "error") errors.push(content["ename"]);
    }
    expect(errors).toEqual(["KeyboardInterrupt"]);
    expect((await runCell(kernel, "kept")).value).toBe("1");
  });

  // From here on each waits for seconds until the kernel is killed, which no other can hasten or delay: they wait together.
  const together = { lasts: "file" } as const;

  test.concurrent("because it was stopped in the middle of a cell is killed by the interrupt, and that is said", async () => {
    const { kernel } = await started(together);
    const code = "print('begun', flush=True)\nwhile True: pass";
    const error = await abortedOnceBegun(kernel, { code, before: () => stop(kernel.facts.pid) });
    expect(error).toMatchObject({
      kind: "died",
      message: "python: the kernel was ended by omp: it did not respond to an interrupt (KERNEL_DIED)",
    });
  });

  test.concurrent("because its code holds the interpreter's lock is killed by the interrupt, with its children", async () => {
    const { kernel, ...left } = await started(together);
    // PyDLL keeps the lock during the call, and system() ignores SIGINT while it waits.
    const code = [
      "import ctypes",
      "print('begun', flush=True)",
      "ctypes.PyDLL(None).system(b\"trap '' INT; touch begun; sleep 1000\")",
    ].join("\n");
    const before = () => until("the call is under way", () => existsSync(join(left.home, "begun")));
    expect((await abortedOnceBegun(kernel, { code, before })).kind).toBe("died");
    await until("nothing of it is left", () => processesLeft(left).length === 0);
  });

  test.concurrent("because its code swallows every interrupt is killed in the end", async () => {
    const { kernel } = await started(together);
    expect((await abortedOnceBegun(kernel, { code: deafCell })).kind).toBe("died");
    expect(isRunning(kernel.facts.pid)).toBe(false);
  });
});
