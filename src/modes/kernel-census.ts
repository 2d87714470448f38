/** The kernels of every place that this user's settings know, each with the way to end it. A place that cannot be asked says so. */

import { readEnvironment } from "../config/environment.ts";
import { ompPaths, projectPaths } from "../config/paths.ts";
import { KernelError } from "../kernel/errors.ts";
import type { ModePlace } from "./io.ts";
import { runtimeBases } from "./kernel-operations.ts";
import {
  type ExternalPlace,
  namedPlace,
  type PlaceOptions,
  pythonPlace,
  type UnusablePlace,
} from "./kernel-place.ts";
import { placeSettings } from "./place-settings.ts";

export interface KernelEntry {
  readonly id: string;
  /** The kernelspec's name, or the interpreter of a kernel on this machine. */
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
  /** `local`, `shared`, or the gateway's name. */
  readonly place: string;
  /** The gateway's address, without anything secret. */
  readonly url: string | undefined;
  /** Why there is nothing to list. */
  readonly problem: string | undefined;
  readonly kernels: readonly KernelEntry[];
}

/** Throws ConfigError. */
export async function kernelCensus(place: ModePlace): Promise<readonly KernelPlaceEntry[]> {
  const { env, cwd } = place;
  const paths = ompPaths({ env });
  const settings = await placeSettings(place);
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
    sharedEntry(paths.pythonGateway, { isWanted: settings.python.sharedGateway }),
    ...external.map(externalEntry),
  ]);
  return all.filter((entry) => entry !== undefined);
}

async function localEntry(env: ModePlace["env"]): Promise<KernelPlaceEntry> {
  const { runningKernels, isResponding, stopKernel } = await import("../kernel/local/running-kernels.ts");
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

async function sharedEntry(
  directory: string,
  { isWanted }: { readonly isWanted: boolean },
): Promise<KernelPlaceEntry | undefined> {
  const { gatewayStatus } = await import("../kernel/gateway/shared/status.ts");
  const status = await gatewayStatus(directory);
  if (status === undefined) {
    if (!isWanted) return undefined;
    return { place: "shared", url: undefined, problem: "is not running", kernels: [] };
  }
  const { GatewayClient } = await import("../kernel/gateway/gateway-client.ts");
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
  const { GatewayClient } = await import("../kernel/gateway/gateway-client.ts");
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
