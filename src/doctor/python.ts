/** What `omp doctor` says about Python: interpreter, packages, gateway, and which tools there are as a result. */

import { interpreterChoice, type Workspace } from "../app/workspace.ts";
import type { OmpEnvironment } from "../config/environment.ts";
import type { OmpPaths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import type { Project } from "../config/trust.ts";
import { chooseHost } from "../kernel/hosts/host-choice.ts";
import { localLaunch } from "../kernel/hosts/local-launch.ts";
import type { Invocation } from "../protocol/invocation.ts";
import type { InterpreterFacts, ProbedPackage } from "../python/facts.ts";
import type { Interpreter, InterpreterSearch } from "../python/interpreter.ts";
import { describeInterpreter } from "../python/interpreter-words.ts";
import { type Preflight, preflight } from "../python/preflight.ts";
import { type EffectiveToolMode, effectiveToolMode } from "../python/tool-mode.ts";
import type { Check, CheckStatus } from "./check.ts";
import { checkGateways } from "./gateway.ts";
import { checkKernel } from "./kernel.ts";
import { checkIpykernel } from "./loan.ts";
import { checkCheckpoints } from "./rewind.ts";

export interface PythonSide extends Invocation {
  readonly settings: Settings;
  readonly environment: OmpEnvironment | undefined;
  readonly paths: OmpPaths;
  readonly project: Project;
}

const optional: readonly ProbedPackage[] = ["matplotlib", "pandas", "numpy"];

export async function checkPython(side: PythonSide): Promise<Check[]> {
  const { settings, environment, env } = side;
  const options = { settings, gateway: environment?.gateway, env, projectRoot: side.project.root };
  const choice = chooseHost(options);
  const isHere = choice.kind === "local" || choice.kind === "shared";
  // The shared gateway finds kernelspecs by itself.
  const kernelSpec = choice.kind === "local" ? choice.kernelSpec : undefined;
  const { findInterpreter, childEnv } = interpreterChoice(side);
  const launch = await localLaunch({ ...side, findInterpreter }, kernelSpec);
  const isBroken = "problem" in launch;
  const search = isBroken ? await findInterpreter() : launch.search;
  const facts = search.found && (await probeNow(search.found, childEnv));
  const found = preflight(search, facts, { sharedGateway: choice.kind === "shared" });
  const result = isBroken ? launch.problem : launch.argv === undefined ? found : { ok: true as const };
  // Kernels in an external gateway do not need this machine's Python; scripts still use it.
  const bad: CheckStatus = isHere ? "fail" : "warn";

  const isUsable = facts?.version !== undefined && search.found !== undefined;
  const ipykernel = isUsable
    ? await checkIpykernel(facts, { interpreter: search.found, paths: side.paths, childEnv })
    : undefined;
  const gateways = await checkGateways({
    choice,
    options,
    facts,
    preflight: found,
    sharedDirectory: side.paths.pythonGateway,
  });
  const mode = effectiveMode(side, isHere ? result : undefined);
  // Elsewhere it would cost somebody else a kernel, and the gateway has just answered.
  const isTried =
    choice.kind === "local" &&
    result.ok &&
    environment !== undefined &&
    mode.mode !== "bash-only" &&
    // Otherwise an environment would have to be made first, and the doctor only looks.
    (ipykernel?.isReady ?? true);
  const tried = isTried
    ? await checkKernel(
        { ...side, environment, findInterpreter, kernelEnv: childEnv, knownLoan: ipykernel?.loan },
        search.found?.source === "managed" ? "omp setup --force" : undefined,
      )
    : undefined;
  const kernels = tried === undefined ? [] : [tried.check];
  return [
    checkInterpreter(search, found, bad),
    ...(facts === undefined ? [] : checkFacts(facts, found, bad, ipykernel?.check)),
    ...(kernelSpec === undefined ? [] : [checkKernelSpec(kernelSpec, launch)]),
    ...gateways,
    ...kernels,
    ...(mode.mode === "bash-only" ? [] : [checkCheckpoints(settings, choice.kind, tried?.checkpoint)]),
    checkTools(side, mode, [gateways[0], ...kernels]),
  ];
}

function effectiveMode({ settings, environment }: PythonSide, result: Preflight | undefined) {
  return effectiveToolMode({
    override: environment?.toolMode,
    setting: settings.python.toolMode,
    preflight: environment?.skipPythonCheck ? undefined : result,
  });
}

function checkKernelSpec(name: string, launch: Awaited<ReturnType<typeof localLaunch>>): Check {
  if ("problem" in launch) {
    const { issue, fix } = launch.problem;
    return { name: "kernelspec", status: "fail", value: issue, fix };
  }
  const line = launch.argv?.join(" ") ?? `${launch.search.found?.path} -m ipykernel_launcher`;
  return { name: "kernelspec", status: "ok", value: `${name}: ${line}` };
}

/** Not from the cache: users call the doctor when something is wrong. */
async function probeNow(interpreter: Interpreter, childEnv: Workspace["childEnv"]) {
  const { probeInterpreter } = await import("../python/probe.ts");
  return await probeInterpreter(interpreter.path, { env: childEnv(interpreter) });
}

function checkInterpreter(search: InterpreterSearch, result: Preflight, bad: CheckStatus): Check {
  const name = "interpreter";
  const { found, tried } = search;
  const details = { ...found, tried };
  if (found === undefined) {
    const [value, fix] = result.ok ? ["none", "omp setup"] : [result.issue, result.fix];
    return { name, status: bad, value, fix, details };
  }
  // Most candidates do not exist; only a broken one is worth a note.
  const notes = tried
    .filter(
      ({ source, problem }) => source === "VIRTUAL_ENV" || !/^(does not exist|is not on PATH)$/.test(problem),
    )
    .map(({ source, path, problem }) => `passed over ${source}: ${path} ${problem}`);
  const status = notes.length > 0 ? "warn" : "ok";
  return { name, status, value: describeInterpreter(found), notes, details };
}

function checkFacts(
  facts: InterpreterFacts,
  result: Preflight,
  bad: CheckStatus,
  ipykernel: Check | undefined,
): Check[] {
  const code = result.ok ? undefined : result.code;
  const broken = result.ok ? {} : { fix: result.fix };
  const { packages, version } = facts;
  if (version === undefined) {
    const value = `${facts.path} ${facts.problem ?? "is unusable"}`;
    return [{ name: "Python", status: bad, value, ...broken }];
  }
  const checks: Check[] = [
    code === "PYTHON_TOO_OLD"
      ? { name: "Python", status: bad, value: `${version}, which is too old`, ...broken }
      : { name: "Python", status: "ok", value: `${version} (${facts.implementation})` },
  ];
  if (ipykernel !== undefined) checks.push(ipykernel);
  const versions = optional.map((name) => `${name} ${packages[name] ?? "not installed"}`);
  checks.push({ name: "optional packages", status: "ok", value: versions.join(", "), details: { packages } });
  return checks;
}

function checkTools(
  { environment }: PythonSide,
  { mode, why, degraded }: EffectiveToolMode,
  needed: readonly Check[],
): Check {
  const name = "tools";
  const skipped = environment?.skipPythonCheck
    ? ["PI_PYTHON_SKIP_CHECK=1: Python is not checked before use"]
    : [];
  const details = { mode, why };
  if (degraded)
    return { name, status: "fail", value: `${modeNames[mode]}: the python tool will not work`, details };
  // The check that found the reason shows it.
  const broken = needed.find(({ status }) => status === "fail");
  if (mode !== "bash-only" && broken !== undefined) {
    return { name, status: "fail", value: `the python tool will not work; see ${broken.name}`, details };
  }
  return { name, status: "ok", value: `${modeNames[mode]} (${why})`, notes: skipped, details };
}

const modeNames = { both: "python and bash", "ipy-only": "python only", "bash-only": "bash only" } as const;
