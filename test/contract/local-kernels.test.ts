import { describe } from "bun:test";
import type { KernelTransport } from "../../src/kernel/local/connection-file.ts";
import { localKernels } from "../support/kernels.ts";
import { describeWithPython, pythonsUnderTest, type TestPython } from "../support/python.ts";
import { kernelContract } from "./kernel-contract.ts";

interface Variant {
  readonly transport: KernelTransport;
  readonly useForkServer: boolean;
}

const variants: readonly Variant[] = [
  { transport: "ipc", useForkServer: false },
  { transport: "tcp", useForkServer: false },
  { transport: "ipc", useForkServer: true },
];

function nameOf({ transport, useForkServer }: Variant): string {
  return useForkServer ? `${transport}, forked` : transport;
}

async function make(python: TestPython, { transport, useForkServer }: Variant) {
  const { kernels, home } = localKernels(
    { python: python.path, transport, useForkServer },
    { lasts: "file" },
  );
  if (useForkServer) await kernels.warmUp();
  return { host: kernels, cwd: home, close: () => kernels.close() };
}

describe("the contract of kernels, over ZeroMQ", () => {
  for (const python of pythonsUnderTest) {
    describeWithPython(python, python.name, () => {
      for (const variant of variants) kernelContract(nameOf(variant), () => make(python, variant));
    });
  }
});
