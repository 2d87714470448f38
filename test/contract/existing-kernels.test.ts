import { afterAll, beforeAll, describe } from "bun:test";
import { readConnection } from "../../src/kernel/existing/connection.ts";
import { ExistingKernels } from "../../src/kernel/existing/existing-kernels.ts";
import type { KernelHandle, PythonKernelOperations } from "../../src/kernel/kernel.ts";
import type { KernelTransport } from "../../src/kernel/local/connection-file.ts";
import { startForeignKernel } from "../support/foreign-kernels.ts";
import { temporaryDirectory } from "../support/home.ts";
import { describeWithPython, pythonsUnderTest, type TestPython } from "../support/python.ts";
import { type KernelsUnderTest, SharedKernel } from "./kernel-contract.ts";
import { deathContract } from "./kernel-death.ts";
import { cellContract } from "./kernel-execution.ts";
import { interruptContract } from "./kernel-interrupts.ts";

/** A kernel of somebody else for every start, so that the contract can have more than one. */
class ForeignKernels implements PythonKernelOperations {
  readonly #places = new Map<KernelHandle, ExistingKernels>();

  constructor(
    readonly python: TestPython,
    readonly transport: KernelTransport,
  ) {}

  async startKernel(options: Parameters<PythonKernelOperations["startKernel"]>[0]): Promise<KernelHandle> {
    options.signal?.throwIfAborted();
    const { file } = await startForeignKernel({
      python: this.python,
      transport: this.transport,
      lasts: "file",
    });
    const kernels = new ExistingKernels({ connection: readConnection(file) });
    const handle = await kernels.startKernel(options);
    this.#places.set(handle, kernels);
    return handle;
  }

  sendExecute: PythonKernelOperations["sendExecute"] = (handle, ...rest) =>
    this.#of(handle).sendExecute(handle, ...rest);
  ask: PythonKernelOperations["ask"] = (handle, ...rest) => this.#of(handle).ask(handle, ...rest);
  interrupt: PythonKernelOperations["interrupt"] = (handle) => this.#of(handle).interrupt(handle);
  shutdown: PythonKernelOperations["shutdown"] = (handle) => this.#of(handle).shutdown(handle);
  isResponding: PythonKernelOperations["isResponding"] = (handle) => this.#of(handle).isResponding(handle);
  takeLateOutput: PythonKernelOperations["takeLateOutput"] = (handle) =>
    this.#of(handle).takeLateOutput(handle);

  async close(): Promise<void> {
    await Promise.all([...this.#places.values()].map((kernels) => kernels.close()));
  }

  #of(handle: KernelHandle): ExistingKernels {
    const kernels = this.#places.get(handle);
    if (!kernels) throw new Error("not started here");
    return kernels;
  }
}

function make(python: TestPython, transport: KernelTransport): KernelsUnderTest {
  const operations = new ForeignKernels(python, transport);
  const cwd = temporaryDirectory({ lasts: "file" });
  return { operations, cwd, close: () => operations.close() };
}

/** One transport each: the same sockets carry kernels of our own, and both are tried there. */
const transports: Readonly<Record<TestPython["ipykernel"], KernelTransport>> = { "7": "tcp", "6": "ipc" };

describe("the contract of kernels, in one that runs already", () => {
  for (const python of pythonsUnderTest) {
    const transport = transports[python.ipykernel];
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
