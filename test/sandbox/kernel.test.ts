import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SharedKernel } from "../contract/kernel-contract.ts";
import { deathContract } from "../contract/kernel-death.ts";
import { interruptContract } from "../contract/kernel-interrupts.ts";
import { startContract } from "../contract/kernel-start.ts";
import { temporaryDirectory } from "../support/home.ts";
import { kernelEnvironment, localKernels } from "../support/kernels.ts";
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
