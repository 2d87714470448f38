/** What `omp doctor` says of the Python side: interpreter, packages, gateway, and which tools that leaves. */

import type { OmpEnvironment } from "../config/environment.ts";
import type { OmpPaths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import { chooseHost } from "../kernel/hosts/host-choice.ts";
import { localLaunch } from "../kernel/hosts/session-host.ts";
import { childEnvironment } from "../python/environment.ts";
import type { InterpreterFacts, ProbedPackage } from "../python/facts.ts";
import { describeInterpreter, findInterpreter, type InterpreterSearch } from "../python/interpreter.ts";
import { type Preflight, preflight } from "../python/preflight.ts";
import { effectiveToolMode } from "../python/tool-mode.ts";
import type { Check, CheckStatus } from "./check.ts";
import { checkGateways } from "./gateway.ts";

export interface PythonSide {
  readonly settings: Settings;
  readonly environment: OmpEnvironment | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly projectRoot: string;
  readonly paths: OmpPaths;
}

const optional: readonly ProbedPackage[] = ["matplotlib", "pandas", "numpy"];

export async function checkPython(side: PythonSide): Promise<Check[]> {
  const { settings, environment, env } = side;
  const options = { settings, gateway: environment?.gateway, env, projectRoot: side.projectRoot };
  const choice = chooseHost(options);
  const isHere = choice.kind === "local" || choice.kind === "shared";
  // The shared gateway finds kernelspecs by itself.
  const kernelSpec = choice.kind === "local" ? choice.kernelSpec : undefined;
  const findHere = () =>
    findInterpreter({
      setting: settings.python.interpreter,
      cwd: side.cwd,
      projectRoot: side.projectRoot,
      env,
      managedEnvironment: side.paths.pythonEnvironment,
    });
  const launch = localLaunch({ ...side, findInterpreter: findHere }, kernelSpec);
  const isBroken = "problem" in launch;
  const search = isBroken ? findHere() : launch.search;
  const facts = await factsOf(search, side);
  const found = preflight(search, facts, { sharedGateway: choice.kind === "shared" });
  const result = isBroken ? launch.problem : launch.argv === undefined ? found : { ok: true as const };
  // Kernels in somebody else's gateway do not need this machine's Python; scripts still use it.
  const bad: CheckStatus = isHere ? "fail" : "warn";

  const gateways = await checkGateways({
    choice,
    options,
    facts,
    preflight: found,
    sharedDirectory: side.paths.pythonGateway,
  });
  return [
    checkInterpreter(search, found, bad),
    ...(facts === undefined ? [] : checkFacts(facts, found, bad)),
    ...(kernelSpec === undefined ? [] : [checkKernelSpec(kernelSpec, launch)]),
    ...gateways,
    checkTools(side, isHere ? result : undefined, gateways[0]),
  ];
}

function checkKernelSpec(name: string, launch: ReturnType<typeof localLaunch>): Check {
  if ("problem" in launch) {
    const { issue, fix } = launch.problem;
    return { name: "kernelspec", status: "fail", value: issue, fix };
  }
  const line = launch.argv?.join(" ") ?? `${launch.search.found?.path} -m ipykernel_launcher`;
  return { name: "kernelspec", status: "ok", value: `${name}: ${line}` };
}

/** Asked anew, not from the cache: whoever calls the doctor doubts what is remembered. */
async function factsOf(search: InterpreterSearch, { env, settings }: PythonSide) {
  const interpreter = search.found;
  if (interpreter === undefined) return undefined;
  const { probeInterpreter } = await import("../python/probe.ts");
  return probeInterpreter(interpreter.path, {
    env: childEnvironment({ env, pass: settings.environment.pass, interpreter }),
  });
}

function checkInterpreter(search: InterpreterSearch, result: Preflight, bad: CheckStatus): Check {
  const name = "interpreter";
  const { found, tried } = search;
  const details = { ...found, tried };
  if (found === undefined) {
    const [value, fix] = result.ok ? ["none", "omp setup"] : [result.issue, result.fix];
    return { name, status: bad, value, fix, details };
  }
  // That a place is empty is the usual case; that something in it is broken is news.
  const notes = tried
    .filter(
      ({ source, problem }) => source === "VIRTUAL_ENV" || !/^(does not exist|is not on PATH)$/.test(problem),
    )
    .map(({ source, path, problem }) => `passed over ${source}: ${path} ${problem}`);
  const status = notes.length > 0 ? "warn" : "ok";
  return { name, status, value: describeInterpreter(found), notes, details };
}

function checkFacts(facts: InterpreterFacts, result: Preflight, bad: CheckStatus): Check[] {
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
  const { ipykernel } = packages;
  if (code === "IPYKERNEL_NOT_FOUND" || code === "IPYKERNEL_TOO_OLD") {
    const value = ipykernel === undefined ? "not installed" : `${ipykernel}, which is too old`;
    checks.push({ name: "ipykernel", status: bad, value, ...broken });
  } else if (ipykernel === undefined) {
    checks.push({ name: "ipykernel", status: bad, value: "not installed" });
  } else {
    checks.push({ name: "ipykernel", status: "ok", value: ipykernel });
  }
  const words = optional.map((name) => `${name} ${packages[name] ?? "not installed"}`);
  checks.push({ name: "optional packages", status: "ok", value: words.join(", "), details: { packages } });
  return checks;
}

function checkTools(
  { settings, environment }: PythonSide,
  result: Preflight | undefined,
  gateway: Check,
): Check {
  const name = "tools";
  const { mode, why, degraded } = effectiveToolMode({
    override: environment?.toolMode,
    setting: settings.python.toolMode,
    preflight: environment?.skipPythonCheck ? undefined : result,
  });
  const skipped = environment?.skipPythonCheck
    ? ["PI_PYTHON_SKIP_CHECK=1: nothing is checked before use"]
    : [];
  const details = { mode, why };
  if (degraded)
    return { name, status: "fail", value: `${words[mode]}: the python tool cannot work`, details };
  // The reason stands at the check that found it.
  if (mode !== "bash-only" && gateway.status === "fail") {
    return { name, status: "fail", value: "the python tool cannot work: see the gateway", details };
  }
  return { name, status: "ok", value: `${words[mode]} (${why})`, notes: skipped, details };
}

const words = { both: "python and bash", "ipy-only": "python only", "bash-only": "bash only" } as const;
