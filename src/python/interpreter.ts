/**
 * Which Python runs the user's cells, scripts and shells: one answer for all of them.
 *
 *   1. the setting `python.interpreter`   final: when it cannot be used, nothing else is silently taken instead
 *   2. $VIRTUAL_ENV                       the environment that the user has activated
 *   3. <cwd>/.venv, <cwd>/venv            the project's own
 *   4. the managed environment            made by `omp setup`
 *   5. `python`, then `python3` on PATH
 *
 * Looks at files only and starts no process, so it is cheap enough for every start; whether what was found really is a
 * Python with ipykernel is asked by probe.ts.
 */

import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { directoryProblem, type Environment, executableProblem, findOnPath, isFile } from "./executable.ts";

export type InterpreterSource =
  | "setting"
  | "VIRTUAL_ENV"
  | ".venv"
  | "venv"
  | "managed"
  | "PATH"
  /** Named by a Jupyter kernelspec; see kernel-specs.ts. */
  | "kernelspec";

export interface Interpreter {
  /** Absolute, and not resolved through links: a venv's python is itself only under its own name. */
  readonly path: string;
  readonly source: InterpreterSource;
  /** The virtual environment that it belongs to. */
  readonly venv: string | undefined;
}

export interface PassedOver {
  readonly source: InterpreterSource;
  readonly path: string;
  readonly problem: string;
}

export interface InterpreterSearch {
  readonly found: Interpreter | undefined;
  /** What was looked at before (or instead of) the one that was found, in order, and why it was not taken. */
  readonly tried: readonly PassedOver[];
}

export interface InterpreterOptions {
  /** `python.interpreter`: a path (`~` is the home), an environment's directory, or a name on PATH. */
  readonly setting: string | undefined;
  readonly cwd: string;
  /** What a relative path in the setting is relative to; default: `cwd`. */
  readonly projectRoot?: string | undefined;
  /** Whether an interpreter of the project may be run. One that the user has activated or named is the user's own choice. */
  readonly isProjectTrusted: boolean;
  readonly env: Environment;
  /** Where `omp setup` puts its environment. */
  readonly managedEnvironment: string;
  readonly platform?: NodeJS.Platform | undefined;
}

export function findInterpreter(options: InterpreterOptions): InterpreterSearch {
  const setting = options.setting?.trim();
  if (setting !== undefined && setting !== "") return fromSetting(setting, options);

  const tried: PassedOver[] = [];
  for (const [source, directory] of environments(options)) {
    const path =
      isTheProjects(source) && !options.isProjectTrusted
        ? untrusted(directory)
        : pythonIn(directory, options);
    if (typeof path === "string") return { found: { path, source, venv: directory }, tried };
    tried.push({ source, path: directory, problem: path.problem });
  }
  for (const name of ["python", "python3"]) {
    const path = findOnPath(name, options);
    if (path === undefined) tried.push({ source: "PATH", path: name, problem: "is not on PATH" });
    else if (isPython2(path)) tried.push({ source: "PATH", path, problem: "is Python 2" });
    else return { found: { path, source: "PATH", venv: venvOf(path) }, tried };
  }
  return { found: undefined, tried };
}

function isTheProjects(source: InterpreterSource): boolean {
  return source === ".venv" || source === "venv";
}

function untrusted(directory: string): { problem: string } {
  return { problem: directoryProblem(directory) ?? "is not used: the project is not trusted (omp trust)" };
}

/** `/project/.venv/bin/python (from /project/.venv)`: for people and for the model. */
export function describeInterpreter(found: Interpreter): string {
  return `${found.path} (${origin(found)})`;
}

/** One line for each candidate that was not taken. */
export function describeTried(search: InterpreterSearch): string[] {
  return search.tried.map(({ source, path, problem }) => `${sourceLabels[source]}: ${path} ${problem}`);
}

const sourceLabels: Record<InterpreterSource, string> = {
  setting: "python.interpreter",
  VIRTUAL_ENV: "VIRTUAL_ENV",
  ".venv": ".venv",
  venv: "venv",
  managed: "managed environment",
  PATH: "PATH",
  kernelspec: "python.kernelSpec",
};

function origin(found: Interpreter): string {
  switch (found.source) {
    case "setting":
      return "from the setting python.interpreter";
    case "VIRTUAL_ENV":
      return "from VIRTUAL_ENV";
    case ".venv":
    case "venv":
      return `from ${found.venv ?? found.source}`;
    case "managed":
      return "the managed environment";
    case "PATH":
      return "from PATH";
    case "kernelspec":
      return "from the kernelspec";
  }
}

function environments(options: InterpreterOptions): [InterpreterSource, string][] {
  const active = options.env["VIRTUAL_ENV"];
  const all: [InterpreterSource, string][] = [
    [".venv", join(options.cwd, ".venv")],
    ["venv", join(options.cwd, "venv")],
    ["managed", options.managedEnvironment],
  ];
  return active === undefined || active === ""
    ? all
    : [["VIRTUAL_ENV", resolve(options.cwd, active)], ...all];
}

function fromSetting(setting: string, options: InterpreterOptions): InterpreterSearch {
  const unusable = (path: string, problem: string): InterpreterSearch => ({
    found: undefined,
    tried: [{ source: "setting", path, problem }],
  });

  let path = settingPath(setting, options);
  if (path === undefined) return unusable(setting, "is not on PATH");
  if (directoryProblem(path) === undefined) {
    const inside = pythonIn(path, options);
    if (typeof inside !== "string") return unusable(path, inside.problem);
    path = inside;
  }
  const problem = executableProblem(path);
  if (problem !== undefined) return unusable(path, problem);
  return { found: { path, source: "setting", venv: venvOf(path) }, tried: [] };
}

/** A bare word is looked up on PATH, as a shell would; anything that looks like a path is one. */
function settingPath(setting: string, options: InterpreterOptions): string | undefined {
  const home = options.env["HOME"] ?? options.env["USERPROFILE"];
  if (setting === "~" || /^~[\\/]/.test(setting)) {
    return home === undefined ? setting : join(home, setting.slice(1));
  }
  if (isAbsolute(setting)) return setting;
  if (/[\\/]/.test(setting) || setting.startsWith(".")) {
    return resolve(options.projectRoot ?? options.cwd, setting);
  }
  return findOnPath(setting, options);
}

/** The Python of an environment's directory. Does not ask for `pyvenv.cfg`: conda's environments have none. */
function pythonIn(
  directory: string,
  { platform = process.platform }: { platform?: NodeJS.Platform | undefined },
): string | { problem: string } {
  const missing = directoryProblem(directory);
  if (missing !== undefined) return { problem: missing };

  const [usual, other] =
    platform === "win32" ? ["Scripts/python.exe", "python.exe"] : ["bin/python", "bin/python3"];
  for (const name of [usual, other]) {
    const path = join(directory, name);
    if (executableProblem(path) === undefined) return path;
  }
  return { problem: `has no usable python: ${usual} ${executableProblem(join(directory, usual))}` };
}

/** As Python itself does it: `pyvenv.cfg` beside the executable's directory, links not followed. */
export function venvOf(path: string): string | undefined {
  const directory = dirname(dirname(path));
  return isFile(join(directory, "pyvenv.cfg")) ? directory : undefined;
}

/** On old systems `python` is Python 2 while `python3` is there too. */
function isPython2(path: string): boolean {
  return basename(realpathSync(path)).startsWith("python2");
}
