/** Opens the host of each choice: processes on this machine, the shared gateway, an external gateway, or an existing kernel. */

import { dirname } from "node:path";
import { readProjectFile } from "../../config/project-file.ts";
import { childEnvironment } from "../../python/environment.ts";
import { runtimeBases } from "../../python/runtime-bases.ts";
import type { GatewayLease } from "../gateway/shared/shared-gateway.ts";
import type { KernelHost } from "../kernel.ts";
import { type ExtensionModule, extensionModules } from "../python/extension-modules.ts";
import type { KernelHostChoice } from "./host-choice.ts";
import { ipythonVariables } from "./ipython-directory.ts";
import type { Launch } from "./launches.ts";
import { unsupportedError } from "./local-launch.ts";
import type { SessionHostOptions } from "./session-host.ts";

/** On loopback a connection that broke is back at once, or the gateway is gone. */
const SHARED_RECONNECT_MS = 2_000;

/** What was not there when the user was, or would have been, asked comes with the next start: a program in a sandbox may have made it. */
function hasModules({ isTrusted, trust }: SessionHostOptions["project"]): boolean {
  return isTrusted && trust.state !== "nothing";
}

/** Throws KernelError. */
export async function openHost(choice: KernelHostChoice, options: SessionHostOptions): Promise<KernelHost> {
  const { settings, environment, paths, project, mark } = options;
  const common: CommonOptions = {
    startTimeoutMs: settings.python.startTimeout * 1000,
    extensionModules: () =>
      extensionModules([paths.modules, ...(hasModules(project) ? [project.modules] : [])]).map((module) =>
        dirname(module.path) === project.modules ? checkedModule(module, project.root) : module,
      ),
    trace: environment.traceKernel ? options.trace : undefined,
    onStage: mark,
  };
  switch (choice.kind) {
    case "unusable":
      throw unsupportedError(choice.problem);
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
      return new ExistingKernels({
        connection,
        bridge: settings.bridge.existingKernels,
        trace,
        onStage,
        runtimeBases: runtimeBases(options.env),
      });
    }
    case "shared":
      return await openSharedGateway(choice.kernelSpec, common, options);
    case "local": {
      const [{ LocalKernels }, { ChosenKernels }, { Launches }] = await Promise.all([
        import("../local/local-kernels.ts"),
        import("./chosen-kernels.ts"),
        import("./launches.ts"),
      ]);
      const { transport, forkServer: useForkServer, checkpoints, kernelMode } = settings.python;
      const forksFirst = checkpoints > 0 && kernelMode === "session";
      const launches = new Launches(options, choice.kernelSpec);
      const open = ({ interpreter: { path: python }, argv, env, loan }: Launch) => {
        const bases = runtimeBases(options.env);
        return new LocalKernels({
          ...common,
          python,
          argv,
          env,
          loan,
          transport,
          useForkServer,
          forksFirst,
          confinement: options.confinement,
          runtimeBases: bases,
        });
      };
      const next = (signal: AbortSignal) => launches.next(signal);
      return new ChosenKernels({ next, open, close: () => launches.close() });
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
  const { found: interpreter } = await options.findInterpreter();
  if (interpreter === undefined) throw unsupportedError({ ok: true });
  const env = options.kernelEnv(interpreter);
  const forAll = childEnvironment({ env: options.env, pass: [], interpreter });
  const gateway = new SharedGateway({
    directory: options.paths.pythonGateway,
    python: interpreter.path,
    // Kernels of other projects inherit it: what this project passes is set inside its own kernels.
    env: { ...forAll, ...ipythonVariables(forAll, options.paths) },
    socketBases: options.settings.python.transport === "tcp" ? undefined : runtimeBases(options.env),
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

const MAX_MODULE_BYTES = 1_000_000;

/** What is trusted is the project: a file elsewhere may change without anybody noticing. Such a module fails with the reason. */
function checkedModule(module: ExtensionModule, root: string): ExtensionModule {
  const read = readProjectFile(module.path, { root, maxBytes: MAX_MODULE_BYTES });
  const problem =
    read === undefined || "problem" in read
      ? (read?.problem ?? "does not exist")
      : read.isCut
        ? "is larger than 1 MB"
        : undefined;
  if (problem === undefined) return module;
  return { ...module, source: `raise ImportError(${JSON.stringify(`${module.path} ${problem}`)})` };
}
