/**
 * Makes a Python environment in a directory of its own, aside from where it is to be. Knows the ways to do it (uv; venv
 * and pip; a venv that looks into another Python's packages), and what to say when a way fails; does not decide
 * whether one is needed, and moves nothing into place.
 */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findOnPath } from "./executable.ts";
import type { EnvironmentPlan } from "./managed-environment.ts";
import { type Attempt, type BasePython, findBasePythons } from "./managed-environment-bases.ts";
import { type CommandResult, runCommand } from "./managed-environment-command.ts";

/** A Python whose packages cannot be installed is mostly too old or too new: another may do, but not for ever. */
const mostBases = 3;
const makeTimeoutMs = 120_000;
const installTimeoutMs = 900_000;

/** What is borrowed has what it has: the kernel is the least. */
export const leastImports: readonly string[] = ["ipykernel.kernelapp"];

export type Way = "uv" | "pip" | "borrowed";

export interface Built {
  readonly way: Way;
  /** Version of Python and of every package that is there. */
  readonly python: string;
  readonly packages: Readonly<Record<string, string>>;
}

interface Work {
  readonly plan: EnvironmentPlan;
  readonly directory: string;
  readonly cwd: string;
  readonly tried: Attempt[];
}

/** Resolves with undefined when nothing worked; `tried` then says what and why. */
export async function buildEnvironment(work: Work): Promise<Built | undefined> {
  const bases: BasePython[] = [];
  const finder = findBasePythons({ ...work.plan, cwd: work.cwd, elsewhere: work.plan.elsewhere }, (attempt) =>
    work.tried.push(attempt),
  );

  const withUv = await buildWithUv(work);
  if (withUv !== undefined) return withUv;

  // By hand, as leaving a `for await` would end the search, and borrowing goes on with it.
  for (let next = await finder.next(); next.done !== true; next = await finder.next()) {
    bases.push(next.value);
    const outcome = await buildWithPip(work, next.value);
    if (typeof outcome === "object") return outcome;
    if (outcome === "index out of reach" || bases.length === mostBases) break;
  }
  return work.plan.borrow ? await borrow(work, bases, finder) : undefined;
}

async function buildWithUv(work: Work): Promise<Built | undefined> {
  const uv = findOnPath("uv", { env: work.plan.env, cwd: work.cwd });
  if (uv === undefined) return undefined;
  const { plan, directory } = work;
  plan.onProgress("making a Python environment with uv");
  // --seed: people and models type `pip install` in a cell, so pip has to be in it.
  const made = await run(work, [uv, "venv", "--seed", directory], makeTimeoutMs);
  if (!made.ok) return failed(work, "uv venv", made);
  plan.onProgress(`installing ${plan.label}`);
  const argv = [uv, "pip", "install", "--python", pythonOf(directory), ...requirementArguments(plan)];
  const installed = await run(work, argv, installTimeoutMs);
  if (!installed.ok) return failed(work, "uv pip install", installed);
  return await inspect(work, "uv");
}

type PipOutcome = Built | "index out of reach" | "failed";

async function buildWithPip(work: Work, base: BasePython): Promise<PipOutcome> {
  const { plan, directory } = work;
  plan.onProgress(`making a Python environment with ${base.path} (Python ${base.version})`);
  const pip = await makeVenvWithPip(work, base);
  if (pip === undefined) return "failed";

  plan.onProgress(`installing ${plan.label}`);
  const argv = [...pip, "install", "--quiet", ...requirementArguments(plan)];
  const installed = await run(work, argv, installTimeoutMs);
  if (installed.ok) return (await inspect(work, "pip")) ?? "failed";
  failed(work, `${base.path} -m pip install`, installed);
  rmSync(directory, { recursive: true, force: true });
  return outOfReach.test(installed.output) ? "index out of reach" : "failed";
}

/** With few retries pip keeps quiet about the connection, and only finds no version of anything. */
const outOfReach = /from versions: none|connection|unreachable|timed out|resolution|proxy|SSL/i;

/** Debian splits ensurepip off into a package of its own; the system's pip can then install into the environment. */
async function makeVenvWithPip(work: Work, base: BasePython): Promise<string[] | undefined> {
  const made = await run(work, [base.path, "-m", "venv", work.directory], makeTimeoutMs);
  if (made.ok) return [pythonOf(work.directory), "-m", "pip"];
  rmSync(work.directory, { recursive: true, force: true });
  const bare = await run(work, [base.path, "-m", "venv", "--without-pip", work.directory], makeTimeoutMs);
  const pip = [base.path, "-m", "pip", "--python", pythonOf(work.directory)];
  if (bare.ok && (await run(work, [...pip, "--version"], makeTimeoutMs)).ok) return pip;
  failed(work, `${base.path} -m venv`, made);
  rmSync(work.directory, { recursive: true, force: true });
  return undefined;
}

/** No index needed: an environment whose packages are those of a Python that has ipykernel already. */
async function borrow(
  work: Work,
  known: readonly BasePython[],
  others: AsyncGenerator<BasePython>,
): Promise<Built | undefined> {
  async function* all() {
    yield* known;
    yield* others;
  }
  for await (const base of all()) {
    if (base.ipykernel === undefined) {
      work.tried.push({ what: base.path, problem: "has no ipykernel" });
      continue;
    }
    work.plan.onProgress(`using the packages of ${base.path} (ipykernel ${base.ipykernel})`);
    const argv = [base.path, "-m", "venv", "--system-site-packages", "--without-pip", work.directory];
    const made = await run(work, argv, makeTimeoutMs);
    if (made.ok) lookInto(work.directory, base);
    const built = made.ok ? await inspect(work, "borrowed") : failed(work, `${base.path} -m venv`, made);
    if (built !== undefined) return built;
    rmSync(work.directory, { recursive: true, force: true });
  }
  return undefined;
}

/** `--system-site-packages` means those of the Python below a virtual environment, so its own are named here. */
function lookInto(directory: string, { version, ownPackages }: BasePython): void {
  if (ownPackages.length === 0) return;
  const [major, minor] = version.split(".");
  const packages = join(directory, "lib", `python${major}.${minor}`, "site-packages");
  writeFileSync(join(packages, "omp-borrowed.pth"), `${ownPackages.join("\n")}\n`);
}

const inspection = `
import importlib, json, sys
from importlib.metadata import distributions
for name in sys.argv[1:]:
    importlib.import_module(name)
packages = {d.metadata["Name"].lower().replace("_", "-"): d.version for d in distributions() if d.metadata["Name"]}
print(json.dumps({"python": "%d.%d.%d" % sys.version_info[:3], "packages": packages}))
`;

/** Imports what must be importable, so that nothing is called ready which is not. */
export async function inspectEnvironment(
  plan: EnvironmentPlan,
  directory: string,
  imports: readonly string[],
): Promise<Omit<Built, "way"> | { problem: string }> {
  const result = await runCommand({
    argv: [pythonOf(directory), "-c", inspection, ...imports],
    cwd: directory,
    env: cleanEnvironment(plan),
    signal: plan.signal,
    timeoutMs: makeTimeoutMs,
  });
  if (!result.ok) return { problem: result.problem };
  return JSON.parse(result.stdout) as Omit<Built, "way">;
}

async function inspect(work: Work, way: Way): Promise<Built | undefined> {
  const imports = way === "borrowed" ? leastImports : work.plan.imports;
  const facts = await inspectEnvironment(work.plan, work.directory, imports);
  if ("problem" in facts) {
    work.tried.push({ what: `importing ${imports.join(", ")}`, problem: facts.problem });
    rmSync(work.directory, { recursive: true, force: true });
    return undefined;
  }
  return { way, ...facts };
}

function failed(work: Work, what: string, result: CommandResult): undefined {
  work.tried.push({ what, problem: result.problem });
  rmSync(work.directory, { recursive: true, force: true });
}

function run(work: Work, argv: readonly string[], timeoutMs: number): Promise<CommandResult> {
  const { plan, cwd } = work;
  return runCommand({ argv, cwd, env: cleanEnvironment(plan), signal: plan.signal, timeoutMs });
}

function requirementArguments({ requirements }: EnvironmentPlan): string[] {
  return "file" in requirements ? ["-r", requirements.file] : [...requirements.packages];
}

export function pythonOf(directory: string): string {
  return join(directory, "bin", "python");
}

/** The user's environment (proxies, certificates, index) without what would make Python or pip work somewhere else. */
function cleanEnvironment({ env }: EnvironmentPlan): Record<string, string | undefined> {
  const elsewhere = ["PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP", "__PYVENV_LAUNCHER__", "VIRTUAL_ENV"];
  const targets = ["PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "UV_PYTHON", "UV_SYSTEM_PYTHON", "CONDA_PREFIX"];
  const kept = Object.entries(env).filter(([name]) => !elsewhere.includes(name) && !targets.includes(name));
  // pip's own patience without an index is minutes.
  return {
    PIP_RETRIES: "2",
    PIP_DEFAULT_TIMEOUT: "30",
    ...Object.fromEntries(kept),
    PIP_USER: "0",
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
    PIP_NO_INPUT: "1",
  };
}
