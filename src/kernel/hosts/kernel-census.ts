/** The kernels of every place that this user's settings know, each with the way to end it. A place that cannot be asked says so. */

import { readEnvironment } from "../../config/environment.ts";
import { ompPaths, projectPaths } from "../../config/paths.ts";
import { loadSettingsFor } from "../../config/settings.ts";
import { OmpError } from "../../protocol/index.ts";
import type { Invocation } from "../../protocol/invocation.ts";
import { KernelError } from "../errors.ts";
import { runtimeBases } from "./kernel-operations.ts";
import {
  type ExternalPlace,
  namedPlace,
  type PlaceOptions,
  pythonPlace,
  type UnusablePlace,
} from "./kernel-place.ts";

export interface KernelEntry {
  readonly id: string;
  /** The kernelspec's name, the interpreter of a kernel on this machine, or the connection file of somebody else's. */
  readonly spec: string;
  readonly state: string;
  /** ISO 8601: when it started, or for kernels in a gateway when it last did something. */
  readonly since: string | undefined;
  readonly cwd: string | undefined;
  /** The omp that it belongs to, where that is known. */
  readonly ownerPid: number | undefined;
  /** Of kernels that Jupyter's own clients can be connected to. */
  readonly connectionFile: string | undefined;
  stop(): Promise<void>;
}

export interface KernelPlaceEntry {
  /** `local`, `existing`, `shared`, or the gateway's name. */
  readonly place: string;
  /** The gateway's address, without anything secret. */
  readonly url: string | undefined;
  /** Why there is nothing to list. */
  readonly problem: string | undefined;
  readonly kernels: readonly KernelEntry[];
}

/** Throws ConfigError. */
export async function kernelCensus(place: Invocation): Promise<readonly KernelPlaceEntry[]> {
  const { env, cwd } = place;
  const paths = ompPaths({ env });
  const settings = await loadSettingsFor(place);
  const { gateway } = readEnvironment(env);
  const options: PlaceOptions = {
    settings,
    gateway,
    env,
    projectRoot: projectPaths(cwd, paths).root,
  };
  const used = pythonPlace(options);
  const isNamed = (name: string) => settings.gateways.some((each) => each.name === name);
  const external = [
    // The variable's, or a name that no gateway has.
    ...((used.kind === "external" && gateway !== undefined) ||
    (used.kind === "unusable" && !isNamed(used.name))
      ? [used]
      : []),
    ...settings.gateways.map(({ name }) => namedPlace(name, options)),
  ];
  const all = await Promise.all([
    localEntry(env),
    existingEntry(env),
    sharedEntry(paths.pythonGateway, { isWanted: settings.python.sharedGateway }),
    ...external.map(externalEntry),
  ]);
  return all.filter((entry) => entry !== undefined);
}

async function localEntry(env: Invocation["env"]): Promise<KernelPlaceEntry> {
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
  return { place: "local", url: undefined, problem: undefined, kernels };
}

/** Those that were there before an omp came to work in them: for looking at only. */
async function existingEntry(env: Invocation["env"]): Promise<KernelPlaceEntry> {
  const { attachments } = await import("../existing/attachments.ts");
  const kernels = await Promise.all(
    attachments(runtimeBases(env)).map(async ({ owner, file, since }) => ({
      id: `e${owner}`,
      spec: file,
      state: await existingState(file),
      since,
      cwd: undefined,
      ownerPid: owner,
      connectionFile: file,
      stop: () => Promise.reject(notOurs(`e${owner}`, file)),
    })),
  );
  return { place: "existing", url: undefined, problem: undefined, kernels };
}

async function existingState(file: string): Promise<string> {
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

function notOurs(id: string, file: string): KernelError {
  const issue = `kernel ${id} is not omp's to end: end it where it was started, or the omp that works in it (${file})`;
  return new KernelError({ kind: "unsupported", issue, code: "KERNEL_NOT_OURS" });
}

async function sharedEntry(
  directory: string,
  { isWanted }: { readonly isWanted: boolean },
): Promise<KernelPlaceEntry | undefined> {
  const { gatewayStatus } = await import("../gateway/shared/status.ts");
  const status = await gatewayStatus(directory);
  if (status === undefined) {
    if (!isWanted) return undefined;
    return { place: "shared", url: undefined, problem: "is not running", kernels: [] };
  }
  const { GatewayClient } = await import("../gateway/gateway-client.ts");
  const { record, isElsewhere, users } = status;
  const { url, token } = record;
  const client = new GatewayClient({ name: "shared", url, token });
  return {
    place: "shared",
    url,
    problem: isElsewhere ? `runs on ${record.host}` : status.problem,
    kernels: status.kernels.map(({ id, name, state, lastActivity }) => ({
      id,
      spec: name,
      state,
      since: lastActivity || undefined,
      cwd: undefined,
      ownerPid: users.find(({ kernels }) => kernels.includes(id))?.pid,
      connectionFile: undefined,
      stop: () => client.remove(id),
    })),
  };
}

async function externalEntry(place: ExternalPlace | UnusablePlace): Promise<KernelPlaceEntry> {
  if (place.kind === "unusable")
    return { place: place.name, url: undefined, problem: place.problem.issue, kernels: [] };
  const { GatewayClient } = await import("../gateway/gateway-client.ts");
  const client = new GatewayClient(place.gateway);
  const entry = { place: place.gateway.name, url: client.address.shown };
  try {
    const kernels = (await client.kernels()).map(({ id, name, executionState, lastActivity }) => ({
      id,
      spec: name,
      state: executionState ?? "unknown",
      since: lastActivity,
      cwd: undefined,
      ownerPid: undefined,
      connectionFile: undefined,
      stop: () => client.remove(id),
    }));
    return { ...entry, problem: undefined, kernels };
  } catch (error) {
    if (!(error instanceof KernelError)) throw error;
    return { ...entry, problem: error.issue, kernels: [] };
  }
}
