import { afterAll, beforeAll, describe } from "bun:test";
import { readConnection } from "../../src/kernel/existing/connection.ts";
import { ExistingKernels } from "../../src/kernel/existing/existing-kernels.ts";
import type { Kernel, KernelHost, StartKernelOptions } from "../../src/kernel/kernel.ts";
import type { KernelTransport } from "../../src/kernel/local/connection-file.ts";
import { startForeignKernel } from "../support/foreign-kernels.ts";
import { temporaryDirectory } from "../support/home.ts";
import { describeWithPython, pythonsUnderTest, type TestPython } from "../support/python.ts";
import { type KernelsUnderTest, SharedKernel } from "./kernel-contract.ts";
import { deathContract } from "./kernel-death.ts";
import { cellContract } from "./kernel-execution.ts";
import { interruptContract } from "./kernel-interrupts.ts";

/** A kernel of somebody else for every start, so that the contract can have more than one. */
class ForeignKernels implements KernelHost {
  readonly #hosts: ExistingKernels[] = [];

  constructor(
    readonly python: TestPython,
    readonly transport: KernelTransport,
  ) {}

  async start(options: StartKernelOptions): Promise<Kernel> {
    options.signal?.throwIfAborted();
    const { file } = await startForeignKernel({
      python: this.python,
      transport: this.transport,
      lasts: "file",
    });
    const host = new ExistingKernels({ connection: readConnection(file) });
    this.#hosts.push(host);
    return await host.start(options);
  }

  async close(): Promise<void> {
    await Promise.all(this.#hosts.map((host) => host.close()));
  }
}

function make(python: TestPython, transport: KernelTransport): KernelsUnderTest {
  const host = new ForeignKernels(python, transport);
  const cwd = temporaryDirectory({ lasts: "file" });
  return { host, cwd, close: () => host.close() };
}

/** One transport each: the same sockets carry kernels of our own, and both are tried there. */
const transportFor = ({ ipykernel }: TestPython): KernelTransport => (ipykernel === "7" ? "tcp" : "ipc");

describe("the contract of kernels, in one that runs already", () => {
  for (const python of pythonsUnderTest) {
    const transport = transportFor(python);
    describeWithPython(python, `${python.name}, ${transport}`, () => {
      const kernel = new SharedKernel();
      beforeAll(() => kernel.open(async () => make(python, transport)));
      afterAll(() => kernel.close());
      // How output is made and names are completed is the kernel's own affair: nothing of omp is in it.
      cellContract(kernel);
      interruptContract(kernel);
      deathContract(kernel);
    });
  }
});
