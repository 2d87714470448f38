/** The core of the contract, on what distributions still ship: start, output and displays, interrupts, death. */

import { afterAll, beforeAll, describe } from "bun:test";
import { localKernels } from "../support/kernels.ts";
import { describeWithPython, olderPythons, type TestPython } from "../support/python.ts";
import { type KernelsUnderTest, SharedKernel } from "./kernel-contract.ts";
import { deathContract } from "./kernel-death.ts";
import { interruptCore } from "./kernel-interrupts.ts";
import { outputContract } from "./kernel-output.ts";
import { questionContract } from "./kernel-questions.ts";
import { startContract } from "./kernel-start.ts";

async function make(python: TestPython): Promise<KernelsUnderTest> {
  const { kernels, home } = localKernels({ python: python.path, useForkServer: true }, { lasts: "file" });
  return { host: kernels, cwd: home, close: () => kernels.close() };
}

describe("the core of the contract of kernels, with an older ipykernel", () => {
  for (const python of olderPythons) {
    describeWithPython(python, python.name, () => {
      const kernel = new SharedKernel();
      beforeAll(() => kernel.open(() => make(python)));
      afterAll(() => kernel.close());
      startContract(kernel);
      outputContract(kernel);
      interruptCore(kernel);
      questionContract(kernel);
      deathContract(kernel);
    });
  }
});
