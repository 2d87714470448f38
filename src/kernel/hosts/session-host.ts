/**
 * The host of one session's kernels: which one it is, whether it works, what is known about its Python, and the pool of its kernels.
 * Kernel code is loaded with the first use.
 */

import { join } from "node:path";
import { once } from "../../async/once.ts";
import type { OmpEnvironment } from "../../config/environment.ts";
import type { OmpPaths } from "../../config/paths.ts";
import type { Settings } from "../../config/schema.ts";
import type { Project } from "../../config/trust.ts";
import { formatLimit } from "../../format/durations.ts";
import type { Confinement } from "../../process/confinement.ts";
import type { Interpreter, InterpreterSearch } from "../../python/interpreter.ts";
import { interpreterLabel, interpreterReason } from "../../python/interpreter-words.ts";
import type { Loan } from "../../python/loan.ts";
import { failedPreflight, hasKernel, type Preflight, preflight } from "../../python/preflight.ts";
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
import { localLaunch, unsupportedError } from "./local-launch.ts";
import { type OnStarted, withStarted } from "./on-started.ts";

export interface SessionHostOptions {
  readonly settings: Pick<Settings, "python" | "gateways" | "bridge">;
  readonly environment: OmpEnvironment;
  readonly paths: OmpPaths;
  readonly project: Pick<Project, "root" | "modules" | "isTrusted" | "trust">;
  readonly cwd: string;
  /** The kernel that --kernel names. */
  readonly existing?: ExistingConnection | undefined;
  readonly findInterpreter: () => Promise<InterpreterSearch>;
  /** The filtered environment for an interpreter. */
  readonly kernelEnv: (interpreter: Interpreter) => Record<string, string>;
  /** The user's own, for where sockets may be put. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the interpreter is lent, for a check that is skipped. */
  readonly knownLoan?: Loan | undefined;
  readonly trace: (line: string) => void;
  /** What is being done before a kernel can start, such as an installation. */
  readonly onProgress: (line: string) => void;
  readonly mark: (stage: string) => void;
  /** A kernel that holds something stays, however long it is not used. */
  readonly keepsState: boolean;
  readonly events?: KernelEvents | undefined;
  /** Set in kernels that omp starts itself. */
  readonly kernelVariables?: (() => Readonly<Record<string, string>>) | undefined;
  /** Called with each new kernel before its first use. */
  readonly onStarted?: OnStarted | undefined;
  /** The sandbox that kernels on this machine run in. */
  readonly confinement?: Confinement | undefined;
}

/** Called when the kernel changes by itself. */
export interface KernelEvents {
  readonly onKernel: (activity: KernelActivity) => void;
  /** A kernel that held something was stopped. */
  readonly onKernelStateLost: (why: string) => void;
  /** What has to be done before it can start, such as an installation. */
  readonly onKernelProgress: (line: string) => void;
}

/** What the model reads about the interpreter. */
export interface PythonFacts {
  readonly path: string;
  readonly version: string;
  /** Those that change what a model would do, with their versions. */
  readonly packages: readonly string[];
  /** Where it comes from, in a word and in words: `.venv`, `from /project/.venv`. Undefined for an existing kernel. */
  readonly label: string | undefined;
  readonly reason: string | undefined;
}

const MAX_SESSIONS = 4;
const BYTES_PER_MB = 1_048_576;
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
      return {
        path: choice.connection.file,
        version: info.version,
        packages: [info.implementation],
        label: undefined,
        reason: undefined,
      };
    }
    if (choice.kind !== "local" && choice.kind !== "shared") return undefined;
    const launch = await localLaunch(this.#options, choice.kernelSpec);
    if ("problem" in launch || launch.argv !== undefined) return undefined;
    return await this.#factsOfKernel(launch.search.found);
  }

  /** Where the Python on PATH has no ipykernel, the managed environment is made with the first kernel, and goes before it from then on. */
  async #factsOfKernel(found: Interpreter | undefined): Promise<PythonFacts | undefined> {
    const facts = found?.source === "PATH" ? await this.#probe(found) : undefined;
    if (facts === undefined || facts.problem !== undefined || hasKernel(facts))
      return await this.#factsOf(found);
    const { pythonEnvironment: venv } = this.#options.paths;
    const made: Interpreter = { path: join(venv, "bin", "python"), source: "managed", venv };
    return { ...describe(made), version: facts.version ?? "", packages: [] };
  }

  /** Of the interpreter that scripts run in, which is always on this machine; undefined when it does not work. */
  async scriptFacts(): Promise<PythonFacts | undefined> {
    return await this.#factsOf((await this.#options.findInterpreter()).found);
  }

  async #factsOf(found: Interpreter | undefined): Promise<PythonFacts | undefined> {
    const facts = await this.#probe(found);
    if (found === undefined || facts?.version === undefined) return undefined;
    const packages = Object.entries(facts.packages)
      .filter(([name, version]) => version !== undefined && notablePackages.includes(name))
      .map(([name, version]) => `${name} ${version}`);
    return { ...describe(found), version: facts.version, packages };
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
    // The others show what is wrong with the connection or the start, and the next call tries again.
    const isChecked = choice.kind === "shared" && !environment.skipPythonCheck;
    const check = isChecked || choice.kind === "unusable" ? await this.check() : undefined;
    if (check?.ok === false) throw unsupportedError(check);
    return new KernelPool({
      host: withStarted(await openHost(choice, this.#options), this.#options.onStarted),
      // An existing kernel has a life of its own.
      mode: isBorrowed ? "session" : settings.python.kernelMode,
      idleMs: isBorrowed ? 0 : settings.python.idleTimeout * 1000,
      maxSessions: MAX_SESSIONS,
      checkpoints: {
        count: settings.python.checkpoints,
        bytes: settings.python.checkpointMemoryMb * BYTES_PER_MB,
      },
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
    const advice = "fix that, or unset PI_PYTHON_GATEWAY_URL or the setting python.gateway";
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

function describe(found: Interpreter): Pick<PythonFacts, "path" | "label" | "reason"> {
  return { path: found.path, label: interpreterLabel(found), reason: interpreterReason(found) };
}
