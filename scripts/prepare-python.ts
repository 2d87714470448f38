/** Makes sure that omp finds a Python with ipykernel, and records what the answer depends on for the next start. */

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Choice, chooseInterpreter, UNTIL_THEN } from "../src/commands/setup.ts";
import { failureReport, fixFor } from "../src/commands/setup-report.ts";
import { ompPaths, projectPaths } from "../src/config/paths.ts";
import { ensureEnvironment, managedPlan } from "../src/python/managed-environment.ts";
import { EnvironmentError, UnwritableError } from "../src/python/managed-environment-errors.ts";
import { dateOf, type PythonState } from "./lib/ready.mjs";

export interface Preparation {
  readonly root: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

export async function preparePython(preparation: Preparation): Promise<void> {
  const paths = ompPaths({ env: preparation.env });
  let choice = await chooseInterpreter(paths, preparation);
  let advice = choice.preflight.ok ? undefined : choice.preflight.reason;
  if (advice === undefined || !managedWouldHelp(choice)) {
    if (advice !== undefined) preparation.say(advice);
    remember(preparation, choice, advice);
    return;
  }
  try {
    await ensureEnvironment(
      managedPlan({
        target: paths.pythonEnvironment,
        env: preparation.env,
        signal: preparation.signal,
        onProgress: preparation.say,
      }),
    );
    choice = await chooseInterpreter(paths, preparation);
    advice = choice.preflight.ok ? undefined : choice.preflight.reason;
    if (advice !== undefined) preparation.say(advice);
  } catch (error) {
    if (!(error instanceof EnvironmentError || error instanceof UnwritableError)) throw error;
    advice = adviceAfter(error, preparation.say);
  }
  remember(preparation, choice, advice);
}

/** Says what went wrong. @returns what every start says until it is fixed */
function adviceAfter(error: EnvironmentError | UnwritableError, say: (text: string) => void): string {
  if (error instanceof UnwritableError) {
    const line = `the python tool is off: ${error.issue}; ${fixFor(error)} (${error.code})`;
    say(line);
    return line;
  }
  const report = failureReport(error);
  say(`${report}\n${UNTIL_THEN}`);
  return "the python tool is off: no Python with ipykernel; to try again, run: bin/omp setup";
}

/** Not when an interpreter that is preferred to the managed environment was chosen: it would still be preferred. */
function managedWouldHelp({ interpreter, preflight, settingsProblem }: Choice): boolean {
  if (settingsProblem !== undefined || preflight.ok) return false;
  if (interpreter === undefined) return !preflight.issue.includes("python.interpreter");
  return interpreter.source === "PATH" || interpreter.source === "managed";
}

function remember({ root, cwd, env }: Preparation, choice: Choice, advice: string | undefined): void {
  const names = ["HOME", "OMP_HOME", "VIRTUAL_ENV", "PATH", "PYTHONPATH", "PYTHONHOME"];
  const files = watchedFiles(cwd, env, choice);
  const state: PythonState = {
    status: advice === undefined ? "ready" : "failed",
    advice: advice ?? "",
    at: Date.now(),
    cwd,
    env: Object.fromEntries(names.map((name) => [name, env[name] ?? null])),
    files: Object.fromEntries(files.map((file) => [file, dateOf(file)])),
  };
  const directory = join(root, "node_modules", ".omp-setup");
  const aside = join(directory, `python.json.${process.pid}`);
  try {
    mkdirSync(directory, { recursive: true });
    writeFileSync(aside, `${JSON.stringify(state, null, 2)}\n`);
    renameSync(aside, join(directory, "python.json"));
  } catch {
    // Another user's checkout, or a full disk: the next start finds it out again.
    rmSync(aside, { force: true });
  }
}

/** Files whose change may change the answer: settings, environments, packages. */
function watchedFiles(cwd: string, env: Preparation["env"], { interpreter, prefix }: Choice): string[] {
  const paths = ompPaths({ env });
  const project = projectPaths(cwd, paths);
  const active = env["VIRTUAL_ENV"];
  const environments = [
    ...(active ? [active] : []),
    ...[cwd, project.root].flatMap((directory) => [join(directory, ".venv"), join(directory, "venv")]),
    paths.pythonEnvironment,
  ];
  return [
    ...[paths, project].flatMap((own) => [own.settingsFile, own.earlierSettingsFile]),
    paths.renamedSettingsFile,
    ...environments.map((directory) => join(directory, "bin", "python")),
    ...(interpreter === undefined ? [] : [interpreter.path]),
    ...(prefix === undefined ? [] : packageDirectories(prefix)),
  ];
}

function packageDirectories(prefix: string): string[] {
  const library = join(prefix, "lib");
  const names = existsSync(library) ? readdirSync(library).filter((name) => /^python3/.test(name)) : [];
  return names.flatMap((name) => [
    join(library, name, "site-packages"),
    join(library, name, "dist-packages"),
  ]);
}
