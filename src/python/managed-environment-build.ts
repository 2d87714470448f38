/**
 * Makes a Python environment in a directory next to its final one. Knows the ways to do it (uv if it is there, else venv and pip,
 * else a venv that uses another Python's packages) and why each failed; does not decide whether an environment is needed, and
 * does not move it to its final path.
 */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BasePython, findBasePythons, ownPackages, packageDirectories } from "./base-pythons.ts";
import { findOnPath } from "./executable.ts";
import type { EnvironmentPlan } from "./managed-environment.ts";
import { type Installed, installPackages } from "./managed-environment-install.ts";
import { makeVenv } from "./managed-environment-venv.ts";
import {
  cleanEnvironment,
  explain,
  MAKE_TIMEOUT_MS,
  pythonOf,
  recordFailure,
  run,
  type Work,
} from "./managed-environment-work.ts";
import { minimumPython } from "./preflight.ts";

/** A Python in which the packages cannot be installed is usually too old or too new: another may do, but not every one is tried. */
const MAX_BASES = 3;

/** Borrowed packages are whatever the other Python has: a kernel is the minimum. */
export const leastImports: readonly string[] = ["ipykernel.kernelapp"];

export type Way = "uv" | "pip" | "borrowed";

export interface Built extends Installed {
  readonly way: Way;
  /** Version of Python and of every package that is there. */
  readonly python: string;
  readonly packages: Readonly<Record<string, string>>;
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
  const python = plan.prefer ?? `>=${minimumPython.join(".")}`;
  const make = [uv, "venv", "--no-project", "--python", python, directory];
  const made = await run(work, make, MAKE_TIMEOUT_MS);
  if (made.problem !== undefined) return recordFailure(work, "uv venv", made);
  // With pip: people and models type `pip install` in a cell.
  const installer = {
    argv: [uv, "pip", "install", "--python", pythonOf(directory)],
    what: "uv pip install",
    hasPip: false,
  };
  const outcome = await installPackages(work, installer);
  return typeof outcome === "string" ? undefined : await inspect(work, "uv", outcome);
}

type PipOutcome = Built | "index out of reach" | "failed";

async function buildWithPip(work: Work, base: BasePython): Promise<PipOutcome> {
  work.plan.onProgress(`making a Python environment with ${base.path} (Python ${base.version})`);
  const installer = await makeVenv(work, base);
  if (installer === undefined) return "failed";
  const outcome = await installPackages(work, installer, base.version);
  return typeof outcome === "string" ? outcome : ((await inspect(work, "pip", outcome)) ?? "failed");
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
    const built = await inspect(work, "borrowed", { isPinned: false });
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

type Inspected = Omit<Built, "way" | "isPinned">;

/** Imports what must be importable: only then the environment is ready. */
export async function inspectEnvironment(
  plan: EnvironmentPlan,
  directory: string,
  imports: readonly string[],
): Promise<Inspected | { problem: string }> {
  const argv = [pythonOf(directory), "-c", INSPECTION, ...imports];
  const result = await run({ plan, cwd: directory }, argv, MAKE_TIMEOUT_MS);
  if (result.problem !== undefined) return { problem: explain(result) };
  return JSON.parse(result.stdout) as Inspected;
}

async function inspect(work: Work, way: Way, { isPinned }: Installed): Promise<Built | undefined> {
  const imports = way === "borrowed" ? leastImports : work.plan.imports;
  const facts = await inspectEnvironment(work.plan, work.directory, imports);
  if ("problem" in facts) {
    work.tried.push({ what: `importing ${imports.join(", ")}`, problem: facts.problem });
    rmSync(work.directory, { recursive: true, force: true });
    return undefined;
  }
  return { way, isPinned, ...facts };
}
