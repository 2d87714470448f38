/** Kernels that live behind a Jupyter Server, Kernel Gateway or Enterprise Gateway, over REST and a websocket. */

import { KernelError } from "../errors.ts";
import type {
  KernelHandle,
  KernelMessage,
  MessageContent,
  PythonKernelOperations,
  StartKernelOptions,
} from "../kernel.ts";
import type { GatewayKernelsOptions } from "./options.ts";

export class GatewayKernels implements PythonKernelOperations {
  readonly #options: GatewayKernelsOptions;

  constructor(options: GatewayKernelsOptions) {
    this.#options = options;
  }

  async startKernel(_options: StartKernelOptions): Promise<KernelHandle> {
    throw this.#unfinished();
  }

  sendExecute(_handle: KernelHandle): AsyncIterable<KernelMessage> {
    throw this.#unfinished();
  }

  async ask(_handle: KernelHandle): Promise<MessageContent> {
    throw this.#unfinished();
  }

  async interrupt(_handle: KernelHandle): Promise<void> {
    throw this.#unfinished();
  }

  async shutdown(_handle: KernelHandle): Promise<void> {
    throw this.#unfinished();
  }

  async isResponding(_handle: KernelHandle): Promise<boolean> {
    return false;
  }

  takeLateOutput(_handle: KernelHandle): string {
    return "";
  }

  async close(): Promise<void> {
    // Nothing was started.
  }

  #unfinished(): KernelError {
    const issue = `kernels in ${this.#options.gateway.name} are not part of this version`;
    return new KernelError({ kind: "unsupported", issue, code: "UNSUPPORTED" });
  }
}
