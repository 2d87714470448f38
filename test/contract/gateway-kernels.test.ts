import { describe } from "bun:test";
import { type GatewayKind, gatewayKernels, gatewayNeeds, startGateway } from "../support/gateways.ts";
import { temporaryDirectory } from "../support/home.ts";
import { describeWithPython } from "../support/python.ts";
import { kernelContract } from "./kernel-contract.ts";

interface Variant {
  readonly kind: GatewayKind;
  readonly name: string;
  readonly argv?: readonly string[];
}

const variants: readonly Variant[] = [
  { kind: "kernel gateway", name: "Kernel Gateway" },
  // The form of messages that servers before 2022 speak, and those with this setting.
  {
    kind: "jupyter server",
    name: "Jupyter Server, JSON messages",
    argv: ["--ZMQChannelsWebsocketConnection.kernel_ws_protocol="],
  },
  { kind: "enterprise gateway", name: "Enterprise Gateway, ipykernel 6" },
];

async function make({ kind, argv = [] }: Variant) {
  const gateway = await startGateway(kind, { lasts: "file", argv });
  // Enterprise Gateway starts no kernels for root, which tests may run as.
  const kernelEnv = { KERNEL_USERNAME: "ada" };
  const kernels = gatewayKernels(gateway, kind === "enterprise gateway" ? { kernelEnv } : {}, {
    lasts: "file",
  });
  return {
    host: kernels,
    cwd: temporaryDirectory({ lasts: "file" }),
    close: async () => {
      await kernels.close();
      await gateway.stop();
    },
  };
}

describe("the contract of kernels, behind gateways", () => {
  for (const variant of variants) {
    const { python, packages } = gatewayNeeds(variant.kind);
    describeWithPython(
      python,
      variant.name,
      () => kernelContract("the contract", () => make(variant)),
      packages,
    );
  }
});
