/** A host whose kernels get something more before their first use, such as the variables of an earlier session. */

import type { Kernel, KernelHost, StartKernelOptions } from "../kernel.ts";

export type OnStarted = (kernel: Kernel, options: StartKernelOptions) => Promise<void>;

/** @param onStarted rejects never: the kernel would be nobody's. */
export function withStarted(host: KernelHost, onStarted: OnStarted | undefined): KernelHost {
  if (onStarted === undefined) return host;
  return {
    start: async (options) => {
      const kernel = await host.start(options);
      await onStarted(kernel, options);
      return kernel;
    },
    ...(host.isCurrent && { isCurrent: host.isCurrent.bind(host) }),
    close: () => host.close(),
  };
}
