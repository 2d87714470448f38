/** The host of one existing kernel, named by its connection file: each start is a connection to it. */

import type { TraceLine } from "../jupyter/trace.ts";
import type { StartKernelOptions } from "../kernel.ts";
import { StartedKernels } from "../started-kernels.ts";
import { Attachments } from "./attachments.ts";
import type { ExistingConnection } from "./connection.ts";
import { ExistingKernel } from "./existing-kernel.ts";

/** How long code that holds Python's lock may keep the kernel from saying what it is. */
const INTRODUCTION_MS = 10_000;

export interface ExistingKernelsOptions {
  readonly connection: ExistingConnection;
  /** Whether its cells may call omp; without it nothing of omp is defined there. */
  readonly bridge?: boolean | undefined;
  readonly startTimeoutMs?: number | undefined;
  /** Where a private directory may be made for its record, best first; without any there is no record. */
  readonly runtimeBases?: readonly string[] | undefined;
  readonly trace?: TraceLine | undefined;
  readonly onStage?: ((stage: string) => void) | undefined;
}

export class ExistingKernels extends StartedKernels<ExistingKernel> {
  readonly #options: ExistingKernelsOptions;
  readonly #attachments: Attachments;

  constructor(options: ExistingKernelsOptions) {
    super({ startTimeoutMs: options.startTimeoutMs ?? INTRODUCTION_MS });
    this.#options = options;
    this.#attachments = new Attachments(options.runtimeBases ?? []);
  }

  /** Disconnects, and leaves nothing on disk. */
  override async close(): Promise<void> {
    await super.close();
    this.#attachments.close();
  }

  protected async launch({ cwd }: StartKernelOptions, signal: AbortSignal): Promise<ExistingKernel> {
    signal.throwIfAborted();
    const { connection, trace, onStage, bridge = false } = this.#options;
    const kernel = await ExistingKernel.attach({ connection, cwd, bridge, trace }, signal);
    const remove = this.#attachments.add(connection.file);
    void kernel.exited.then(remove);
    onStage?.(`connected to the kernel of ${connection.file}`);
    return kernel;
  }

  protected describeSlowStart(limit: string): string {
    const { file } = this.#options.connection;
    return `the kernel of ${file} is there, but said nothing for ${limit}: it runs code that lets nothing else run, or its key is not the one in the file`;
  }
}
