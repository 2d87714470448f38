import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SharedKernel } from "../contract/kernel-contract.ts";
import { deathContract } from "../contract/kernel-death.ts";
import { interruptContract } from "../contract/kernel-interrupts.ts";
import { startContract } from "../contract/kernel-start.ts";
import { temporaryDirectory } from "../support/home.ts";
import { kernelEnvironment, localKernels, runCell } from "../support/kernels.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { testSandbox } from "../support/sandbox.ts";

async function make(useForkServer: boolean) {
  const cwd = temporaryDirectory({ lasts: "file" });
  const confinement = await testSandbox({ projectRoot: cwd }, { lasts: "file" });
  const env = kernelEnvironment(cwd);
  const { kernels } = localKernels({ confinement, env, useForkServer }, { lasts: "file" });
  if (useForkServer) await kernels.warmUp();
  return { host: kernels, cwd, close: () => kernels.close() };
}

describeWithPython(testPython, "the contract of kernels, in a sandbox", () => {
  describe("plain", () => {
    const kernel = new SharedKernel();
    beforeAll(() => kernel.open(() => make(false)));
    afterAll(() => kernel.close());
    startContract(kernel);
    interruptContract(kernel);
    deathContract(kernel);
  });

  describe("forked", () => {
    const kernel = new SharedKernel();
    beforeAll(() => kernel.open(() => make(true)));
    afterAll(() => kernel.close());
    deathContract(kernel);

    test("a checkpoint of one is in it, too, and what is woken, and both are ended from outside", async () => {
      const signal = new AbortController().signal;
      await kernel.run("kept = 3");
      const parking = await kernel.kernel.park?.(signal);
      if (parking?.kind !== "parked") throw new Error(parking?.reason);
      const woken = await parking.parked.wake(signal);
      const { value } = await runCell(
        woken,
        "import os\n(kept, os.getppid(), os.path.exists('/proc/1/root'))",
      );
      expect(value).toBe("(3, 2, True)");
      expect((await parking.parked.memory())?.privateBytes).toBeGreaterThan(0);
      process.kill(woken.facts.pid, "SIGKILL");
      expect(await woken.exited).toMatchObject({ reason: "killed by SIGKILL" });
      parking.parked.drop();
      await parking.parked.exited;
      expect((await kernel.run("kept")).value).toBe("3");
    });

    test("one is in the server's sandbox, and is interrupted and killed from outside", async () => {
      expect((await kernel.run("import os; (os.getppid(), os.path.exists('/proc/1/root'))")).value).toBe(
        "(2, True)",
      );
      const controller = new AbortController();
      const running = kernel.run("import time; print('on', flush=True); time.sleep(1000)", {
        signal: controller.signal,
      });
      controller.abort();
      expect((await running).error).toBe("KeyboardInterrupt");
      await using own = await kernel.another();
      await expect(own.run("import os; os.kill(os.getpid(), 9)")).rejects.toThrow("killed by SIGKILL");
    });
  });
});
