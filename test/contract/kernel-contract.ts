/**
 * What every transport must do, whatever carries its messages: nothing in here knows of processes, files or sockets. Each file in
 * this folder runs it for one kind of kernel.
 */

import { afterAll, beforeAll, describe } from "bun:test";
import type { ExecuteOptions, Kernel, KernelHost } from "../../src/kernel/kernel.ts";
import { type CellResult, runCell } from "../support/kernels.ts";
import { deathContract } from "./kernel-death.ts";
import { executionContract } from "./kernel-execution.ts";
import { interruptContract } from "./kernel-interrupts.ts";
import { outputContract } from "./kernel-output.ts";
import { questionContract } from "./kernel-questions.ts";
import { startContract } from "./kernel-start.ts";

export interface KernelsUnderTest {
  readonly host: KernelHost;
  /** A directory that the kernels can use. */
  readonly cwd: string;
  close(): Promise<void>;
}

/** One kernel for the tests that leave it as they found it. */
export class SharedKernel {
  #kernels: KernelsUnderTest | undefined;
  #kernel: Kernel | undefined;

  async open(make: () => Promise<KernelsUnderTest>): Promise<void> {
    this.#kernels = await make();
    this.#kernel = await this.host.start({ cwd: this.cwd });
  }

  async close(): Promise<void> {
    await this.#kernels?.close();
  }

  get host(): KernelHost {
    if (!this.#kernels) throw new Error("the kernels could not be made");
    return this.#kernels.host;
  }

  get cwd(): string {
    return this.#kernels?.cwd ?? "";
  }

  get kernel(): Kernel {
    if (!this.#kernel) throw new Error("the kernel did not start");
    return this.#kernel;
  }

  run(code: string, options?: ExecuteOptions): Promise<CellResult> {
    return runCell(this.kernel, code, options);
  }

  execute(code: string, options?: ExecuteOptions) {
    return this.kernel.execute(code, options);
  }

  /** Another kernel beside the shared one, for tests that it does not survive. */
  async another(): Promise<OwnKernel> {
    const kernel = await this.host.start({ cwd: this.cwd });
    return {
      kernel,
      run: (code, options) => runCell(kernel, code, options),
      [Symbol.asyncDispose]: () => kernel.shutdown(),
    };
  }
}

export interface OwnKernel extends AsyncDisposable {
  readonly kernel: Kernel;
  run(code: string, options?: ExecuteOptions): Promise<CellResult>;
}

export function kernelContract(name: string, make: () => Promise<KernelsUnderTest>): void {
  describe(name, () => {
    const kernel = new SharedKernel();
    beforeAll(() => kernel.open(make));
    afterAll(() => kernel.close());
    startContract(kernel);
    executionContract(kernel);
    outputContract(kernel);
    interruptContract(kernel);
    questionContract(kernel);
    deathContract(kernel);
  });
}
