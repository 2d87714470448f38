/**
 * A session's Python, put together: where its kernels live, whether that will do, and the kernels themselves. Kernel code is
 * loaded with the first use.
 */

import type { OmpEnvironment } from "../../config/environment.ts";
import type { OmpPaths, ProjectPaths } from "../../config/paths.ts";
import type { Settings } from "../../config/schema.ts";
import type { Interpreter, InterpreterSearch } from "../../python/interpreter.ts";
import { isLaunch, type KernelSpecLaunch, kernelSpecLaunch } from "../../python/kernel-specs.ts";
import { failedPreflight, type Preflight, preflight } from "../../python/preflight.ts";
import { probeInterpreter } from "../../python/probe.ts";
import type { ExistingConnection } from "../existing/connection.ts";
import type { KernelActivity, KernelPool } from "../pool/pool.ts";
import { type PythonPlace, pythonPlace } from "./kernel-place.ts";

export interface KernelsOptions {
  readonly settings: Pick<Settings, "python" | "gateways">;
  readonly environment: OmpEnvironment;
  readonly paths: OmpPaths;
  readonly project: ProjectPaths;
  readonly cwd: string;
  /** The kernel that was asked for with --kernel. */
  readonly existing?: ExistingConnection | undefined;
  readonly findInterpreter: () => InterpreterSearch;
  /** The filtered environment for an interpreter. */
  readonly kernelEnv: (interpreter: Interpreter) => Record<string, string>;
  /** The user's own, for where sockets may be put. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly trace: (line: string) => void;
  readonly mark: (stage: string) => void;
  /** A kernel that holds something stays, however long it is not used. */
  readonly keepsState: boolean;
  readonly news?: KernelNews | undefined;
}

/** For who shows it. */
export interface KernelNews {
  /** What the kernel does, whenever that changes. */
  readonly onKernel: (activity: KernelActivity) => void;
  /** Why a kernel was stopped that held something. */
  readonly onKernelStateLost: (why: string) => void;
}

const MAX_SESSIONS = 4;

/** What a model is told of the interpreter. */
export interface PythonFacts {
  readonly path: string;
  readonly version: string;
  /** Those that change what a model would do, with their versions. */
  readonly packages: readonly string[];
}

export function placeOf({ settings, environment, env, project, existing }: KernelsOptions): PythonPlace {
  const { gateway } = environment;
  return pythonPlace({ settings, gateway, env, projectRoot: project.root, existing });
}

/** Whether the python tool can work here. A gateway that somebody else runs is asked when it is needed, and not before. */
export async function checkPython(options: KernelsOptions): Promise<Preflight> {
  const place = placeOf(options);
  if (place.kind === "unusable") return place.problem;
  if (place.kind === "external") return { ok: true };
  if (place.kind === "existing") return await (await import("./existing-check.ts")).checkExisting(place);
  const launch = localLaunch(options, place.kernelSpec);
  if ("problem" in launch) return launch.problem;
  // A kernelspec's own line may start anything: only a kernel can tell whether it works.
  if (launch.argv !== undefined) return { ok: true };
  const facts = await probe(launch.search.found, options);
  options.mark(`python checked: ${launch.search.found?.path ?? "none found"}`);
  return preflight(launch.search, facts, { sharedGateway: place.kind === "shared" });
}

/** Of an interpreter on this machine; undefined for one that is elsewhere, or that does not work. */
export async function pythonFacts(options: KernelsOptions): Promise<PythonFacts | undefined> {
  const place = placeOf(options);
  if (place.kind === "existing") return await (await import("./existing-check.ts")).existingFacts(place);
  if (place.kind !== "local" && place.kind !== "shared") return undefined;
  const launch = localLaunch(options, place.kernelSpec);
  if ("problem" in launch || launch.argv !== undefined) return undefined;
  const facts = await probe(launch.search.found, options);
  if (facts?.version === undefined) return undefined;
  const packages = Object.entries(facts.packages)
    .filter(([name, version]) => version !== undefined && worthTelling.includes(name))
    .map(([name, version]) => `${name} ${version}`);
  return { path: facts.path, version: facts.version, packages };
}

const worthTelling = ["numpy", "pandas", "matplotlib"];

export type LocalLaunch = Pick<KernelSpecLaunch, "argv" | "env"> & { readonly search: InterpreterSearch };

/** The interpreter that kernels on this machine run in: the one that is found, or the kernelspec's. */
export function localLaunch(
  options: Pick<KernelsOptions, "findInterpreter" | "env" | "cwd" | "paths">,
  kernelSpec: string | undefined,
): LocalLaunch | { readonly problem: Extract<Preflight, { ok: false }> } {
  const search = options.findInterpreter();
  if (kernelSpec === undefined) return { search, argv: undefined, env: {} };
  const { env, cwd, paths } = options;
  const launch = kernelSpecLaunch(kernelSpec, { env, cwd, home: paths.userHome, interpreter: search.found });
  if (isLaunch(launch)) return { ...launch, search: { found: launch.interpreter, tried: search.tried } };
  const advice = "correct or remove the setting python.kernelSpec";
  return { problem: failedPreflight(launch.code, launch.issue, { advice }) };
}

/** Asks the interpreter, and remembers its answer on disk. */
async function probe(found: Interpreter | undefined, { kernelEnv, paths }: KernelsOptions) {
  if (!found) return undefined;
  return await probeInterpreter(found.path, { env: kernelEnv(found), cacheFile: paths.interpreterCache });
}

export async function openKernels(options: KernelsOptions): Promise<KernelPool> {
  const { environment, mark } = options;
  const { idleTimeout, kernelMode } = options.settings.python;
  const [{ KernelError }, { KernelPool }, { openOperations }] = await Promise.all([
    import("../errors.ts"),
    import("../pool/pool.ts"),
    import("./kernel-operations.ts"),
  ]);
  mark("kernel code loaded");
  const place = placeOf(options);
  const isBorrowed = place.kind === "existing";
  // A kernel that runs already says with the connection what is wrong with it.
  const isUnchecked = isBorrowed || (environment.skipPythonCheck && place.kind !== "unusable");
  const check = isUnchecked ? undefined : await checkPython(options);
  if (check?.ok === false) {
    const issue = `${check.issue}; to mend it: ${check.fix}`;
    throw new KernelError({ kind: "unsupported", issue, code: check.code });
  }
  return new KernelPool({
    host: await openOperations(place, options),
    // Somebody else's has a life of its own.
    mode: isBorrowed ? "session" : kernelMode,
    idleMs: isBorrowed ? 0 : idleTimeout * 1000,
    maxSessions: MAX_SESSIONS,
    isBorrowed,
    keepsState: options.keepsState,
    onActivity: options.news?.onKernel,
    onStateLost: options.news?.onKernelStateLost,
  });
}
