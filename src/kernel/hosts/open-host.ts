/** Opens the host of each choice: processes on this machine, the shared gateway, an external gateway, or an existing kernel. */

import { childEnvironment } from "../../python/environment.ts";
import { runtimeBases } from "../../python/runtime-bases.ts";
import { KernelError } from "../errors.ts";
import type { GatewayLease } from "../gateway/shared/shared-gateway.ts";
import type { KernelHost } from "../kernel.ts";
import { type ExtensionModule, extensionModules } from "../python/extension-modules.ts";
import type { KernelHostChoice } from "./host-choice.ts";
import { localLaunch, type SessionHostOptions } from "./session-host.ts";

/** On loopback a connection that broke is back at once, or the gateway is gone. */
const SHARED_RECONNECT_MS = 2_000;

/** Throws KernelError. */
export async function openHost(choice: KernelHostChoice, options: SessionHostOptions): Promise<KernelHost> {
  const { settings, environment, paths, project, mark } = options;
  const common: CommonOptions = {
    startTimeoutMs: settings.python.startTimeout * 1000,
    extensionModules: () =>
      extensionModules([paths.modules, ...(project.isTrusted ? [project.modules] : [])]),
    trace: environment.traceKernel ? options.trace : undefined,
    onStage: mark,
  };
  switch (choice.kind) {
    case "unusable":
      throw unsupportedError(choice.problem.issue, choice.problem.code);
    case "external": {
      const { GatewayKernels } = await import("../gateway/gateway-kernels.ts");
      const { gateway, kernelSpec, kernelEnv } = choice;
      // Nothing of this machine's environment is sent to another.
      const env = {};
      const ledger = paths.gatewayKernels;
      return new GatewayKernels({
        ...common,
        gateway,
        kernelSpec,
        kernelEnv,
        env,
        files: "elsewhere",
        ledger,
      });
    }
    case "existing": {
      const { ExistingKernels } = await import("../existing/existing-kernels.ts");
      const { trace, onStage } = common;
      const { connection } = choice;
      return new ExistingKernels({ connection, trace, onStage, runtimeBases: runtimeBases(options.env) });
    }
    case "shared":
      return await openSharedGateway(choice.kernelSpec, common, options);
    case "local": {
      const { LocalKernels } = await import("../local/local-kernels.ts");
      const { transport, forkServer } = settings.python;
      const { interpreter, argv, env } = await interpreterHere(options, choice.kernelSpec);
      return new LocalKernels({
        ...common,
        python: interpreter.path,
        argv,
        env,
        transport,
        useForkServer: forkServer,
        confinement: options.confinement,
        runtimeBases: runtimeBases(options.env),
      });
    }
  }
}

interface CommonOptions {
  readonly startTimeoutMs: number;
  readonly extensionModules: () => readonly ExtensionModule[];
  readonly trace: ((line: string) => void) | undefined;
  readonly onStage: (stage: string) => void;
}

async function openSharedGateway(
  kernelSpec: string | undefined,
  common: CommonOptions,
  options: SessionHostOptions,
): Promise<KernelHost> {
  const [{ GatewayKernels }, { SharedGateway }, { SharedKernels }] = await Promise.all([
    import("../gateway/gateway-kernels.ts"),
    import("../gateway/shared/shared-gateway.ts"),
    import("../gateway/shared/shared-kernels.ts"),
  ]);
  // The gateway finds the kernelspec by itself, with the same interpreter.
  const { interpreter, env } = await interpreterHere(options, undefined);
  const gateway = new SharedGateway({
    directory: options.paths.pythonGateway,
    python: interpreter.path,
    // Kernels of other projects inherit it: what this project passes is set inside its own kernels.
    env: childEnvironment({ env: options.env, pass: [], interpreter }),
    startTimeoutMs: common.startTimeoutMs,
  });
  const kernelsIn = ({ url, token, wake, isRunning }: GatewayLease, onMade: (id: string) => void) =>
    new GatewayKernels({
      ...common,
      gateway: { name: "shared", url, token },
      kernelSpec,
      kernelEnv: {},
      env,
      files: "shared",
      onMade,
      wake,
      isGatewayRunning: isRunning,
      reconnectLimitMs: SHARED_RECONNECT_MS,
    });
  return new SharedKernels({ gateway, kernelsIn });
}

/** The interpreter on this machine and what its kernels start with. Throws KernelError when there is none. */
async function interpreterHere(options: SessionHostOptions, kernelSpec: string | undefined) {
  const launch = await localLaunch(options, kernelSpec);
  if ("problem" in launch) throw unsupportedError(launch.problem.issue, launch.problem.code);
  const { found } = launch.search;
  if (!found) throw unsupportedError("no Python found; to fix it: omp setup", "PYTHON_NOT_FOUND");
  return { interpreter: found, argv: launch.argv, env: { ...options.kernelEnv(found), ...launch.env } };
}

function unsupportedError(issue: string, code: string): KernelError {
  return new KernelError({ kind: "unsupported", issue, code });
}
