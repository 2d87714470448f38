/**
 * The host of one session's kernels: which one it is, whether it works, what is known about its Python, and the pool of its kernels.
 * Kernel code is loaded with the first use.
 */

import { once } from "../../async/once.ts";
import type { OmpEnvironment } from "../../config/environment.ts";
import type { OmpPaths } from "../../config/paths.ts";
import type { Settings } from "../../config/schema.ts";
import type { Project } from "../../config/trust.ts";
import { formatLimit } from "../../format/durations.ts";
import type { Confinement } from "../../process/confinement.ts";
import type { Interpreter, InterpreterSearch } from "../../python/interpreter.ts";
import { isLaunch, type KernelSpecLaunch, kernelSpecLaunch } from "../../python/kernel-specs.ts";
import { failedPreflight, type Preflight, preflight } from "../../python/preflight.ts";
import { probeInterpreter } from "../../python/probe.ts";
import { KernelError } from "../errors.ts";
import type { ExistingConnection } from "../existing/connection.ts";
import type { KernelInfo } from "../existing/reach.ts";
import type { KernelActivity, KernelPool } from "../pool/pool.ts";
import {
  chooseHost,
  describeHost,
  type ExternalHostChoice,
  type HostDescription,
  type KernelHostChoice,
} from "./host-choice.ts";

export interface SessionHostOptions {
  readonly settings: Pick<Settings, "python" | "gateways">;
  readonly environment: OmpEnvironment;
  readonly paths: OmpPaths;
  readonly project: Pick<Project, "root" | "modules" | "isTrusted">;
  readonly cwd: string;
  /** The kernel that --kernel names. */
  readonly existing?: ExistingConnection | undefined;
  readonly findInterpreter: () => Promise<InterpreterSearch>;
  /** The filtered environment for an interpreter. */
  readonly kernelEnv: (interpreter: Interpreter) => Record<string, string>;
  /** The user's own, for where sockets may be put. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly trace: (line: string) => void;
  readonly mark: (stage: string) => void;
  /** A kernel that holds something stays, however long it is not used. */
  readonly keepsState: boolean;
  readonly events?: KernelEvents | undefined;
  /** The sandbox that kernels on this machine run in. */
  readonly confinement?: Confinement | undefined;
}

/** Called when the kernel changes by itself. */
export interface KernelEvents {
  readonly onKernel: (activity: KernelActivity) => void;
  /** A kernel that held something was stopped. */
  readonly onKernelStateLost: (why: string) => void;
}

/** What the model reads about the interpreter. */
export interface PythonFacts {
  readonly path: string;
  readonly version: string;
  /** Those that change what a model would do, with their versions. */
  readonly packages: readonly string[];
}

const MAX_SESSIONS = 4;
const notablePackages = ["numpy", "pandas", "matplotlib"];

export class SessionHost {
  readonly choice: KernelHostChoice;
  readonly description: HostDescription;
  readonly #options: SessionHostOptions;

  constructor(options: SessionHostOptions) {
    const { settings, environment, env, project, existing } = options;
    const { gateway } = environment;
    this.#options = options;
    this.choice = chooseHost({ settings, gateway, env, projectRoot: project.root, existing });
    this.description = describeHost(this.choice);
  }

  /** Whether the python tool can work here. */
  async check(): Promise<Preflight> {
    const { choice } = this;
    if (choice.kind === "unusable") return choice.problem;
    if (choice.kind === "external") return await checkGateway(choice);
    if (choice.kind === "existing") return await this.#checkExisting();
    const launch = await localLaunch(this.#options, choice.kernelSpec);
    if ("problem" in launch) return launch.problem;
    // A kernelspec's own command may start anything: only a kernel can tell whether it works.
    if (launch.argv !== undefined) return { ok: true };
    const facts = await this.#probe(launch.search.found);
    this.#options.mark(`python checked: ${launch.search.found?.path ?? "none found"}`);
    return preflight(launch.search, facts, { sharedGateway: choice.kind === "shared" });
  }

  /** Undefined for a Python on another machine, one that does not work, or an existing kernel that is too busy to answer. */
  async facts(): Promise<PythonFacts | undefined> {
    const { choice } = this;
    if (choice.kind === "existing") {
      const info = await this.#look.get().catch(ignoreKernelError);
      if (info === undefined) return undefined;
      return { path: choice.connection.file, version: info.version, packages: [info.implementation] };
    }
    if (choice.kind !== "local" && choice.kind !== "shared") return undefined;
    const launch = await localLaunch(this.#options, choice.kernelSpec);
    if ("problem" in launch || launch.argv !== undefined) return undefined;
    return await this.#factsOf(launch.search.found);
  }

  /** Of the interpreter that scripts run in, which is always on this machine; undefined when it does not work. */
  async scriptFacts(): Promise<PythonFacts | undefined> {
    return await this.#factsOf((await this.#options.findInterpreter()).found);
  }

  async #factsOf(found: Interpreter | undefined): Promise<PythonFacts | undefined> {
    const facts = await this.#probe(found);
    if (facts?.version === undefined) return undefined;
    const packages = Object.entries(facts.packages)
      .filter(([name, version]) => version !== undefined && notablePackages.includes(name))
      .map(([name, version]) => `${name} ${version}`);
    return { path: facts.path, version: facts.version, packages };
  }

  /** Throws KernelError. */
  async openPool(): Promise<KernelPool> {
    const { settings, environment, mark, keepsState, events } = this.#options;
    const [{ KernelPool }, { openHost }] = await Promise.all([
      import("../pool/pool.ts"),
      import("./open-host.ts"),
    ]);
    mark("kernel code loaded");
    const { choice } = this;
    const isBorrowed = choice.kind === "existing";
    // An existing kernel and a gateway show with the connection what is wrong with them, and the next call tries again.
    const isElsewhere = isBorrowed || choice.kind === "external";
    const isChecked = !isElsewhere && !(environment.skipPythonCheck && choice.kind !== "unusable");
    const check = isChecked ? await this.check() : undefined;
    if (check?.ok === false) {
      const issue = `${check.issue}; to fix it: ${check.fix}`;
      throw new KernelError({ kind: "unsupported", issue, code: check.code });
    }
    return new KernelPool({
      host: await openHost(choice, this.#options),
      // An existing kernel has a life of its own.
      mode: isBorrowed ? "session" : settings.python.kernelMode,
      idleMs: isBorrowed ? 0 : settings.python.idleTimeout * 1000,
      maxSessions: MAX_SESSIONS,
      isBorrowed,
      keepsState,
      onActivity: events?.onKernel,
      onStateLost: events?.onKernelStateLost,
    });
  }

  /** Connects to the existing kernel once: at the start several callers ask about it. Throws KernelError. */
  readonly #look = once(async (): Promise<KernelInfo | undefined> => {
    if (this.choice.kind !== "existing") return undefined;
    const { lookAtKernel } = await import("../existing/reach.ts");
    return await lookAtKernel(this.choice.connection);
  });

  async #checkExisting(): Promise<Preflight> {
    try {
      await this.#look.get();
      return { ok: true };
    } catch (error) {
      if (!(error instanceof KernelError)) throw error;
      const code = error.code === "KERNEL_LANGUAGE" ? "KERNEL_LANGUAGE" : "KERNEL_UNREACHABLE";
      return failedPreflight(code, error.issue, { advice: "give another --kernel, or none" });
    }
  }

  /** Runs the interpreter, unless its answer is on disk already. */
  async #probe(found: Interpreter | undefined) {
    const { kernelEnv, paths, confinement } = this.#options;
    if (!found) return undefined;
    const options = { env: kernelEnv(found), cacheFile: paths.interpreterCache, confinement };
    return await probeInterpreter(found.path, options);
  }
}

/** A gateway that has not answered by then is too slow to work with. */
const GATEWAY_ANSWER_MS = 5_000;

async function checkGateway({ gateway }: ExternalHostChoice): Promise<Preflight> {
  const { GatewayClient } = await import("../gateway/gateway-client.ts");
  const limit = AbortSignal.timeout(GATEWAY_ANSWER_MS);
  const refused = (code: string, issue: string) => {
    const name = code.replace(/^(?:GATEWAY_)?/, "GATEWAY_") as `GATEWAY_${string}`;
    const advice = "correct that, or unset PI_PYTHON_GATEWAY_URL or the setting python.gateway";
    return failedPreflight(name, issue, { advice });
  };
  try {
    await new GatewayClient(gateway).kernelSpecs(limit);
    return { ok: true };
  } catch (error) {
    if (limit.aborted)
      return refused(
        "TIMEOUT",
        `gateway ${gateway.name} did not answer in ${formatLimit(GATEWAY_ANSWER_MS)}`,
      );
    if (error instanceof KernelError) return refused(error.code, error.issue);
    throw error;
  }
}

function ignoreKernelError(error: unknown): undefined {
  if (!(error instanceof KernelError)) throw error;
}

export type LocalLaunch = Pick<KernelSpecLaunch, "argv" | "env"> & { readonly search: InterpreterSearch };

/** The interpreter that kernels on this machine run in: the one that is found, or the kernelspec's. */
export async function localLaunch(
  options: Pick<SessionHostOptions, "findInterpreter" | "env" | "cwd" | "paths">,
  kernelSpec: string | undefined,
): Promise<LocalLaunch | { readonly problem: Extract<Preflight, { ok: false }> }> {
  const search = await options.findInterpreter();
  if (kernelSpec === undefined) return { search, argv: undefined, env: {} };
  const { env, cwd, paths } = options;
  const launch = kernelSpecLaunch(kernelSpec, { env, cwd, home: paths.userHome, interpreter: search.found });
  if (isLaunch(launch)) return { ...launch, search: { found: launch.interpreter, tried: search.tried } };
  const advice = "correct or remove the setting python.kernelSpec";
  return { problem: failedPreflight(launch.code, launch.issue, { advice }) };
}
