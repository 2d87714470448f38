/** The kernels of every host that this user's settings name, each with the way to end it. A host that cannot be asked says why. */

import { readEnvironment } from "../../config/environment.ts";
import { ompPaths, projectPaths } from "../../config/paths.ts";
import { loadSettingsFor } from "../../config/settings.ts";
import { OmpError } from "../../protocol/index.ts";
import type { Invocation } from "../../protocol/invocation.ts";
import { runtimeBases } from "../../python/runtime-bases.ts";
import { KernelError } from "../errors.ts";
import {
  chooseGateway,
  chooseHost,
  type ExternalHostChoice,
  type HostChoiceOptions,
  type UnusableHostChoice,
} from "./host-choice.ts";

export interface KernelEntry {
  readonly id: string;
  /** The kernelspec's name, the interpreter of a kernel on this machine, or the connection file of an existing one. */
  readonly spec: string;
  readonly state: string;
  /** ISO 8601: when it started, or for kernels in a gateway when it was last active. */
  readonly since?: string | undefined;
  readonly cwd?: string | undefined;
  /** The omp that it belongs to, where that is known. */
  readonly ownerPid?: number | undefined;
  /** For kernels that Jupyter's own clients can connect to. */
  readonly connectionFile?: string | undefined;
  stop(): Promise<void>;
}

export interface HostEntry {
  /** `local`, `existing`, `shared`, or the gateway's name. */
  readonly host: string;
  /** The gateway's address, without credentials. */
  readonly url?: string | undefined;
  /** Why there is nothing to list. */
  readonly problem?: string | undefined;
  readonly kernels: readonly KernelEntry[];
}

/** Throws ConfigError. */
export async function takeCensus(invocation: Invocation): Promise<readonly HostEntry[]> {
  const { env, cwd } = invocation;
  const paths = ompPaths({ env });
  const settings = await loadSettingsFor(invocation);
  const { gateway } = readEnvironment(env);
  const options: HostChoiceOptions = {
    settings,
    gateway,
    env,
    projectRoot: projectPaths(cwd, paths).root,
  };
  const used = chooseHost(options);
  const isNamed = (name: string) => settings.gateways.some((each) => each.name === name);
  // The gateway of the variable, or a name that no gateway has: every other one is in the settings.
  const isExtra =
    (used.kind === "external" && gateway !== undefined) || (used.kind === "unusable" && !isNamed(used.name));
  const external = [
    ...(isExtra ? [used] : []),
    ...settings.gateways.map(({ name }) => chooseGateway(name, options)),
  ];
  const all = await Promise.all([
    listLocal(env),
    listExisting(env),
    listShared(paths.pythonGateway, { isWanted: settings.python.sharedGateway }),
    ...external.map(listExternal),
  ]);
  return all.filter((entry) => entry !== undefined);
}

async function listLocal(env: Invocation["env"]): Promise<HostEntry> {
  const { runningKernels, isResponding, stopKernel } = await import("../local/running-kernels.ts");
  const kernels = await Promise.all(
    runningKernels(runtimeBases(env)).map(async (kernel) => ({
      id: kernel.id,
      spec: kernel.python,
      state: (await isResponding(kernel)) ? "alive" : "not responding",
      since: kernel.startedAt,
      cwd: kernel.cwd,
      ownerPid: kernel.owner,
      connectionFile: kernel.connectionFile,
      stop: () => stopKernel(kernel),
    })),
  );
  return { host: "local", kernels };
}

/** Kernels that an omp works in but has not started: they are only listed, never stopped. */
async function listExisting(env: Invocation["env"]): Promise<HostEntry> {
  const { attachments } = await import("../existing/attachments.ts");
  const kernels = await Promise.all(
    attachments(runtimeBases(env)).map(async ({ owner, file, since }) => ({
      id: `e${owner}`,
      spec: file,
      state: await stateOfExisting(file),
      since,
      ownerPid: owner,
      connectionFile: file,
      stop: () => Promise.reject(notOursError(`e${owner}`, file)),
    })),
  );
  return { host: "existing", kernels };
}

async function stateOfExisting(file: string): Promise<string> {
  const [{ readConnection }, { lookAtKernel }] = await Promise.all([
    import("../existing/connection.ts"),
    import("../existing/reach.ts"),
  ]);
  try {
    await lookAtKernel(readConnection(file));
    return "alive";
  } catch (error) {
    if (!(error instanceof OmpError)) throw error;
    return "not responding";
  }
}

function notOursError(id: string, file: string): KernelError {
  const issue = `kernel ${id} was not started by omp: stop it where it was started, or end the omp that works in it (${file})`;
  return new KernelError({ kind: "unsupported", issue, code: "KERNEL_NOT_OURS" });
}

async function listShared(
  directory: string,
  { isWanted }: { readonly isWanted: boolean },
): Promise<HostEntry | undefined> {
  const { gatewayStatus } = await import("../gateway/shared/status.ts");
  const status = await gatewayStatus(directory);
  if (status === undefined) {
    return isWanted ? { host: "shared", problem: "is not running", kernels: [] } : undefined;
  }
  const { GatewayClient } = await import("../gateway/gateway-client.ts");
  const { record, isElsewhere, users } = status;
  const { url, token } = record;
  const client = new GatewayClient({ name: "shared", url, token });
  return {
    host: "shared",
    url,
    problem: isElsewhere ? `runs on ${record.host}` : status.problem,
    kernels: status.kernels.map(({ id, name, state, lastActivity }) => ({
      id,
      spec: name,
      state,
      since: lastActivity || undefined,
      ownerPid: users.find(({ kernels }) => kernels.includes(id))?.pid,
      stop: () => client.remove(id),
    })),
  };
}

async function listExternal(choice: ExternalHostChoice | UnusableHostChoice): Promise<HostEntry> {
  if (choice.kind === "unusable") return { host: choice.name, problem: choice.problem.issue, kernels: [] };
  const { GatewayClient } = await import("../gateway/gateway-client.ts");
  const client = new GatewayClient(choice.gateway);
  const entry = { host: choice.gateway.name, url: client.address.shown };
  try {
    const kernels = (await client.kernels()).map(({ id, name, executionState, lastActivity }) => ({
      id,
      spec: name,
      state: executionState ?? "unknown",
      since: lastActivity,
      stop: () => client.remove(id),
    }));
    return { ...entry, kernels };
  } catch (error) {
    if (!(error instanceof KernelError)) throw error;
    return { ...entry, problem: error.issue, kernels: [] };
  }
}
