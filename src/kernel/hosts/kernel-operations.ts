/** The kernels of each place: processes of our own, the shared gateway's, those of a gateway elsewhere, or one that runs already. */

import { tmpdir } from "node:os";
import { childEnvironment } from "../../python/environment.ts";
import { KernelError } from "../errors.ts";
import type { KernelHost } from "../kernel.ts";
import { extensionModules } from "../python/extension-modules.ts";
import type { ExistingPlace, ExternalPlace, PythonPlace } from "./kernel-place.ts";
import { type KernelsOptions, localLaunch } from "./kernels.ts";

export async function openOperations(place: PythonPlace, options: KernelsOptions): Promise<KernelHost> {
  switch (place.kind) {
    case "unusable":
      throw refusal(place.problem.issue, place.problem.code);
    case "external":
      return await externalKernels(place, options);
    case "existing":
      return await existingKernels(place, options);
    case "shared":
      return await sharedKernels(place.kernelSpec, options);
    case "local":
      return await localKernels(place.kernelSpec, options);
  }
}

/** Where kernels' private directories may be made, best first. */
export function runtimeBases(env: Readonly<Record<string, string | undefined>>): string[] {
  return [env["XDG_RUNTIME_DIR"] || tmpdir(), tmpdir(), "/tmp"];
}

function refusal(issue: string, code: string): KernelError {
  return new KernelError({ kind: "unsupported", issue, code });
}

/** What every kind of kernel is made with. */
function common({ settings, environment, paths, project, trace, mark }: KernelsOptions) {
  return {
    startTimeoutMs: settings.python.startTimeout * 1000,
    extensionModules: () => extensionModules([paths.modules, project.modules]),
    trace: environment.traceKernel ? trace : undefined,
    onStage: mark,
  };
}

/** The interpreter on this machine, or an error that says why there is none. */
function interpreterHere(options: KernelsOptions, kernelSpec: string | undefined) {
  const launch = localLaunch(options, kernelSpec);
  if ("problem" in launch) throw refusal(launch.problem.issue, launch.problem.code);
  const { found } = launch.search;
  if (!found) throw refusal("no Python found; to mend it: omp setup", "PYTHON_NOT_FOUND");
  return { found, argv: launch.argv, env: { ...options.kernelEnv(found), ...launch.env } };
}

async function localKernels(kernelSpec: string | undefined, options: KernelsOptions): Promise<KernelHost> {
  const { LocalKernels } = await import("../local/local-kernels.ts");
  const { found, argv, env } = interpreterHere(options, kernelSpec);
  const { transport, forkServer } = options.settings.python;
  return new LocalKernels({
    ...common(options),
    python: found.path,
    argv,
    env,
    transport,
    useForkServer: forkServer,
    runtimeBases: runtimeBases(options.env),
  });
}

async function externalKernels(
  { gateway, kernelSpec, kernelEnv }: ExternalPlace,
  options: KernelsOptions,
): Promise<KernelHost> {
  const { GatewayKernels } = await import("../gateway/gateway-kernels.ts");
  // Nothing of this machine's environment is sent to another.
  return new GatewayKernels({
    ...common(options),
    gateway,
    kernelSpec,
    kernelEnv,
    env: {},
    files: "elsewhere",
    ledger: options.paths.gatewayKernels,
  });
}

async function existingKernels({ connection }: ExistingPlace, options: KernelsOptions): Promise<KernelHost> {
  const { ExistingKernels } = await import("../existing/existing-kernels.ts");
  const { trace, onStage } = common(options);
  return new ExistingKernels({ connection, trace, onStage, runtimeBases: runtimeBases(options.env) });
}

async function sharedKernels(kernelSpec: string | undefined, options: KernelsOptions): Promise<KernelHost> {
  const [{ GatewayKernels }, { SharedGateway }, { SharedKernels }] = await Promise.all([
    import("../gateway/gateway-kernels.ts"),
    import("../gateway/shared/shared-gateway.ts"),
    import("../gateway/shared/shared-kernels.ts"),
  ]);
  // The kernelspec is the gateway's to find, in the same interpreter.
  const { found, env } = interpreterHere(options, undefined);
  const parts = common(options);
  const shared = new SharedGateway({
    directory: options.paths.pythonGateway,
    python: found.path,
    // Kernels of other projects inherit it: what this one passes to its own is set inside them.
    env: childEnvironment({ env: options.env, pass: [], interpreter: found }),
    startTimeoutMs: parts.startTimeoutMs,
  });
  return new SharedKernels({
    gateway: shared,
    kernelsIn: ({ url, token, wake }, onMade) =>
      new GatewayKernels({
        ...parts,
        gateway: { name: "shared", url, token },
        kernelSpec,
        kernelEnv: {},
        env,
        files: "shared",
        onMade,
        wake,
        // On loopback a connection that is cut is back at once, or the gateway is gone.
        reconnectLimitMs: 2_000,
      }),
  });
}
