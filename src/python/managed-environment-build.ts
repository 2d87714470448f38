/**
 * Makes a Python environment in a directory next to its final one. Knows the ways to do it (uv if it is there, else venv and pip,
 * else a venv that uses another Python's packages) and why each failed; does not decide whether an environment is needed, and
 * does not move it to its final path.
 */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Attempt,
  type BasePython,
  findBasePythons,
  ownPackages,
  packageDirectories,
} from "./base-pythons.ts";
import { childEnvironment } from "./environment.ts";
import { findOnPath } from "./executable.ts";
import type { EnvironmentPlan } from "./managed-environment.ts";
import { minimumPython } from "./preflight.ts";
import { type CommandResult, lastLine, runCommand } from "./run-command.ts";

/** A Python in which the packages cannot be installed is usually too old or too new: another may do, but not every one is tried. */
const MAX_BASES = 3;
const MAKE_TIMEOUT_MS = 120_000;
const INSTALL_TIMEOUT_MS = 900_000;

/** Borrowed packages are whatever the other Python has: a kernel is the minimum. */
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
  const { plan, cwd, tried } = work;
  const options = { ...plan, env: cleanEnvironment(plan), cwd };
  const finder = findBasePythons(options, (attempt) => tried.push(attempt));

  const withUv = await buildWithUv(work);
  if (withUv !== undefined) return withUv;

  // No `for await`: leaving it would end the search, which `borrow` continues.
  for (let next = await finder.next(); next.done !== true; next = await finder.next()) {
    bases.push(next.value);
    const outcome = await buildWithPip(work, next.value);
    if (typeof outcome === "object") return outcome;
    if (outcome === "index out of reach" || bases.length === MAX_BASES) break;
  }
  return plan.borrow ? await borrow(work, bases, finder) : undefined;
}

async function buildWithUv(work: Work): Promise<Built | undefined> {
  const uv = work.plan.uv ?? findOnPath("uv", { env: work.plan.env, cwd: work.cwd });
  if (uv === undefined) return undefined;
  const { plan, directory } = work;
  plan.onProgress("making a Python environment with uv");
  // --no-project: a pyproject.toml in the user's home has no say here.
  const version = `>=${minimumPython.join(".")}`;
  const make = [uv, "venv", "--no-project", "--python", version, directory];
  const made = await run(work, make, MAKE_TIMEOUT_MS);
  if (made.problem !== undefined) return recordFailure(work, "uv venv", made);
  plan.onProgress(`installing ${plan.label}`);
  // With pip: people and models type `pip install` in a cell.
  const install = [
    uv,
    "pip",
    "install",
    "--python",
    pythonOf(directory),
    "pip",
    ...requirementArguments(plan),
  ];
  const installed = await run(work, install, INSTALL_TIMEOUT_MS);
  if (installed.problem !== undefined) return recordFailure(work, "uv pip install", installed);
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
  const installed = await run(work, argv, INSTALL_TIMEOUT_MS);
  if (installed.problem === undefined) return (await inspect(work, "pip")) ?? "failed";
  recordFailure(work, `${base.path} -m pip install`, installed);
  rmSync(directory, { recursive: true, force: true });
  return OUT_OF_REACH.test(`${installed.stdout}\n${installed.stderr}`) ? "index out of reach" : "failed";
}

/** With few retries pip says nothing about the connection, and only finds no version of anything. */
const OUT_OF_REACH = /from versions: none|connection|unreachable|timed out|resolution|proxy|SSL/i;

/** Debian splits ensurepip off into a package of its own; the system's pip can then install into the environment. */
async function makeVenvWithPip(work: Work, base: BasePython): Promise<string[] | undefined> {
  const made = await run(work, [base.path, "-m", "venv", work.directory], MAKE_TIMEOUT_MS);
  if (made.problem === undefined) return [pythonOf(work.directory), "-m", "pip"];
  rmSync(work.directory, { recursive: true, force: true });
  const bare = await run(work, [base.path, "-m", "venv", "--without-pip", work.directory], MAKE_TIMEOUT_MS);
  const pip = [base.path, "-m", "pip", "--python", pythonOf(work.directory)];
  if (bare.problem === undefined) {
    const asked = await run(work, [...pip, "--version"], MAKE_TIMEOUT_MS);
    if (asked.problem === undefined) return pip;
  }
  recordFailure(work, `${base.path} -m venv`, made);
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
    const made = await run(work, argv, MAKE_TIMEOUT_MS);
    if (made.problem !== undefined) {
      recordFailure(work, `${base.path} -m venv`, made);
      continue;
    }
    addPackagesOf(base, work.directory);
    const built = await inspect(work, "borrowed");
    if (built !== undefined) return built;
  }
  return undefined;
}

/** `--system-site-packages` means those of the Python that a virtual environment was made from, so its own are named here. */
function addPackagesOf(base: BasePython, directory: string): void {
  const own = ownPackages(base);
  const [packages = ""] = packageDirectories(directory, base.version);
  if (own.length > 0) writeFileSync(join(packages, "omp-borrowed.pth"), `${own.join("\n")}\n`);
}

const INSPECTION = `
import importlib, json, sys
from importlib.metadata import distributions
for name in sys.argv[1:]:
    importlib.import_module(name)
packages = {d.metadata["Name"].lower().replace("_", "-"): d.version for d in distributions() if d.metadata["Name"]}
print(json.dumps({"python": "%d.%d.%d" % sys.version_info[:3], "packages": packages}))
`;

/** Imports what must be importable: only then the environment is ready. */
export async function inspectEnvironment(
  plan: EnvironmentPlan,
  directory: string,
  imports: readonly string[],
): Promise<Omit<Built, "way"> | { problem: string }> {
  const argv = [pythonOf(directory), "-c", INSPECTION, ...imports];
  const result = await run({ plan, cwd: directory }, argv, MAKE_TIMEOUT_MS);
  if (result.problem !== undefined) return { problem: explain(result) };
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

function recordFailure(work: Work, what: string, result: CommandResult): undefined {
  work.tried.push({ what, problem: explain(result) });
  rmSync(work.directory, { recursive: true, force: true });
}

/** pip and uv say what went wrong in a line that starts with "error"; the lines after it are advice. */
const ERROR_LINE = /^(error|fatal|\S*Error\b|× )|: command not found$/i;

function explain({ outcome, stdout, stderr, problem = "" }: CommandResult): string {
  const printed = `${stdout}\n${stderr}`.replaceAll(/^\[notice\].*$/gm, "");
  return outcome?.timedOut ? problem : (lastLine(printed, ERROR_LINE) ?? problem);
}

/** Throws the signal's reason when it was stopped. */
async function run(
  { plan, cwd }: Pick<Work, "plan" | "cwd">,
  argv: readonly string[],
  timeoutMs: number,
): Promise<CommandResult> {
  const { signal } = plan;
  const result = await runCommand({ argv, cwd, env: cleanEnvironment(plan), signal, timeoutMs });
  signal.throwIfAborted();
  return result;
}

function requirementArguments({ requirements }: EnvironmentPlan): string[] {
  return "file" in requirements ? ["-r", requirements.file] : [...requirements.packages];
}

export function pythonOf(directory: string): string {
  return join(directory, "bin", "python");
}

/** These would make Python, pip or uv work in another environment. */
const leftOut: ReadonlySet<string> = new Set([
  ...["PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP", "__PYVENV_LAUNCHER__", "VIRTUAL_ENV", "CONDA_PREFIX"],
  ...["PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "UV_PYTHON", "UV_SYSTEM_PYTHON"],
]);

/** The user's environment: proxies, certificates, package index. */
function cleanEnvironment({ env }: EnvironmentPlan): Record<string, string> {
  // Packages that are built run code of their own: no keys for them, only what the installers are configured with.
  const passed = childEnvironment({ env, pass: ["PIP_*", "UV_*"] });
  const kept = Object.entries(passed).filter(([name]) => !leftOut.has(name));
  return {
    // By default pip tries for minutes to reach an index.
    PIP_RETRIES: "2",
    PIP_DEFAULT_TIMEOUT: "30",
    ...Object.fromEntries(kept),
    PIP_USER: "0",
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
    PIP_NO_INPUT: "1",
  };
}
