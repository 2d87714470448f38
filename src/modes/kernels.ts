/**
 * A session's Python, put together: the interpreter, whether it will do, and the kernels that run in it. Kernel code is loaded
 * with the first use.
 */

import { tmpdir } from "node:os";
import type { OmpEnvironment } from "../config/environment.ts";
import type { OmpPaths, ProjectPaths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import type { KernelActivity } from "../kernel/pool/pool.ts";
import type { Interpreter, InterpreterSearch } from "../runtime/interpreter.ts";
import { type Preflight, preflight } from "../runtime/preflight.ts";
import { probeInterpreter } from "../runtime/probe.ts";
import type { Kernels } from "../tools/python/python.ts";
import type { Mark } from "./startup-marks.ts";

export interface KernelsOptions {
  readonly settings: Settings["python"];
  readonly environment: OmpEnvironment;
  readonly paths: OmpPaths;
  readonly project: ProjectPaths;
  readonly findInterpreter: () => InterpreterSearch;
  /** The filtered environment for an interpreter. */
  readonly kernelEnv: (interpreter: Interpreter) => Record<string, string>;
  /** The user's own, for where sockets may be put. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly trace: (line: string) => void;
  readonly mark: Mark;
  /** Told how the kernel stands, at every change. */
  readonly onActivity?: ((activity: KernelActivity) => void) | undefined;
}

export interface OpenKernels extends Kernels {
  close(): Promise<void>;
}

const MAX_SESSIONS = 4;

/** What a model is told of the interpreter. */
export interface PythonFacts {
  readonly path: string;
  readonly version: string;
  /** Those that change what a model would do, with their versions. */
  readonly packages: readonly string[];
}

/** Whether the python tool can work here. */
export async function checkPython(options: KernelsOptions): Promise<Preflight> {
  const search = options.findInterpreter();
  const facts = await probe(search, options);
  options.mark(`python checked: ${search.found?.path ?? "none found"}`);
  return preflight(search, facts, { sharedGateway: options.settings.sharedGateway });
}

export async function pythonFacts(options: KernelsOptions): Promise<PythonFacts | undefined> {
  const facts = await probe(options.findInterpreter(), options);
  if (facts?.version === undefined) return undefined;
  const packages = Object.entries(facts.packages)
    .filter(([name, version]) => version !== undefined && worthTelling.includes(name))
    .map(([name, version]) => `${name} ${version}`);
  return { path: facts.path, version: facts.version, packages };
}

const worthTelling = ["numpy", "pandas", "matplotlib"];

/** Asks the interpreter, and remembers its answer on disk. */
async function probe({ found }: InterpreterSearch, { kernelEnv, paths }: KernelsOptions) {
  if (!found) return undefined;
  return await probeInterpreter(found.path, { env: kernelEnv(found), cacheFile: paths.interpreterCache });
}

export async function openKernels(options: KernelsOptions): Promise<OpenKernels> {
  const { settings, environment, mark } = options;
  const [{ KernelError }, { LocalKernels }, { KernelPool }, { extensionModules }] = await Promise.all([
    import("../kernel/errors.ts"),
    import("../kernel/local/local-kernels.ts"),
    import("../kernel/pool/pool.ts"),
    import("../kernel/extension-modules.ts"),
  ]);
  mark("kernel code loaded");
  const refusal = (issue: string, code: string) => new KernelError({ kind: "unsupported", issue, code });
  if (environment.gateway || settings.sharedGateway) {
    const fix = "unset python.sharedGateway and PI_PYTHON_GATEWAY_URL";
    throw refusal(`kernels behind a gateway are not part of this version; ${fix}`, "UNSUPPORTED");
  }
  if (!environment.skipPythonCheck) {
    const check = await checkPython(options);
    if (!check.ok) throw refusal(`${check.issue}; to mend it: ${check.fix}`, check.code);
  }
  const { found } = options.findInterpreter();
  if (!found) throw refusal("no Python found; to mend it: omp setup", "PYTHON_NOT_FOUND");
  const operations = new LocalKernels({
    python: found.path,
    env: options.kernelEnv(found),
    transport: settings.transport,
    useForkServer: settings.forkServer,
    startTimeoutMs: settings.startTimeout * 1000,
    runtimeBases: [options.env["XDG_RUNTIME_DIR"] || tmpdir(), tmpdir(), "/tmp"],
    extensionModules: () => extensionModules([options.paths.modules, options.project.modules]),
    trace: environment.traceKernel ? options.trace : undefined,
    onStage: mark,
  });
  const pool = new KernelPool({
    operations,
    mode: settings.kernelMode,
    idleMs: settings.idleTimeout * 1000,
    maxSessions: MAX_SESSIONS,
    onActivity: options.onActivity,
  });
  return {
    operations,
    pool,
    close: async () => {
      await pool.close();
      await operations.close();
    },
  };
}
