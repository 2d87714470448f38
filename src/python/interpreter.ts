/**
 * Which Python runs the user's cells, scripts and shells: one answer for all of them.
 *
 *   1. the setting `python.interpreter`   final: when it cannot be used, nothing else is silently taken instead
 *   2. $VIRTUAL_ENV                       the environment that the user has activated
 *   3. .venv, venv                        the project's own, from the working directory up to the project's root
 *   4. $CONDA_PREFIX                      the conda environment that the user has activated, often without a thought
 *   5. .pixi/envs/default                 the project's own, as pixi makes it
 *   6. poetry's, uv's                     what these tools name where their lock file is; see tool-environments.ts
 *   7. the managed environment            made by `omp setup`
 *   8. `python`, then `python3` on PATH
 *
 * Looks at files only and starts no process but those of step 6, so it is cheap enough for every call; whether what was found
 * really is a Python is asked by probe.ts.
 */

import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import { directoryProblem, type Environment, executableProblem, findOnPath, isFile } from "./executable.ts";

export type InterpreterSource =
  | "setting"
  | "VIRTUAL_ENV"
  | ".venv"
  | "venv"
  | "CONDA_PREFIX"
  | ".pixi"
  | "poetry"
  | "uv"
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
  /** The conda environment that it belongs to; pixi's are such, too. */
  readonly conda?: string | undefined;
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

/** What poetry or uv says where the project's environment is. */
export interface ToolEnvironment {
  readonly source: "poetry" | "uv";
  /** The environment, or the lock file when the tool names none. */
  readonly path: string;
  /** Why it cannot be used. */
  readonly problem?: string | undefined;
}

export interface InterpreterOptions {
  /** `python.interpreter`: a path (`~` is the home), an environment's directory, or a name on PATH. */
  readonly setting: string | undefined;
  readonly cwd: string;
  /** Where the search for the project's environments ends, and what a relative path in the setting is relative to; default: `cwd`. */
  readonly projectRoot?: string | undefined;
  /** Whether an interpreter of the project may be run. One that the user has activated or named is the user's own choice. */
  readonly isProjectTrusted: boolean;
  /** The environments that the project's tools name. Asked last, as it may start a program, and only for a trusted project. */
  readonly namedByTools?: (() => Promise<readonly ToolEnvironment[]>) | undefined;
  readonly env: Environment;
  /** Where `omp setup` puts its environment. */
  readonly managedEnvironment: string;
  readonly platform?: NodeJS.Platform | undefined;
  /** The user; by default the one who runs omp. */
  readonly uid?: number | undefined;
}

export async function findInterpreter(options: InterpreterOptions): Promise<InterpreterSearch> {
  const setting = options.setting?.trim();
  if (setting !== undefined && setting !== "") return fromSetting(setting, options);

  const tried: PassedOver[] = [];
  for await (const { source, path: directory, problem } of environments(options)) {
    const path = problem === undefined ? pythonIn(directory, options) : { problem };
    if (typeof path === "string") return { found: { path, source, ...kindOf(directory) }, tried };
    tried.push({ source, path: directory, problem: path.problem });
  }
  for (const name of ["python", "python3"]) {
    const path = findOnPath(name, options);
    if (path === undefined) tried.push({ source: "PATH", path: name, problem: "is not on PATH" });
    else if (isPython2(path)) tried.push({ source: "PATH", path, problem: "is Python 2" });
    else return { found: { path, source: "PATH", ...environmentOf(path) }, tried };
  }
  return { found: undefined, tried };
}

interface Candidate {
  readonly source: InterpreterSource;
  readonly path: string;
  readonly problem?: string | undefined;
}

/** Where a tool is asked, what follows is not looked at before it has answered. What the project lacks elsewhere than here is not worth a word. */
async function* environments(options: InterpreterOptions): AsyncGenerator<Candidate> {
  const { cwd, projectRoot = cwd, isProjectTrusted, namedByTools } = options;
  yield* activated(["VIRTUAL_ENV"], options);
  const here = resolve(cwd);
  const directories = directoriesUpTo(here, resolve(projectRoot));
  for (const directory of directories) {
    for (const source of [".venv", "venv"] as const) {
      const path = join(directory, source);
      if (directory === here || isThere(path)) yield own(source, path, options);
    }
  }
  yield* activated(["CONDA_PREFIX"], options);
  const pixi = directories.map((directory) => join(directory, ".pixi", "envs", "default"));
  for (const path of pixi.filter(isThere)) yield own(".pixi", path, options);
  if (isProjectTrusted && namedByTools !== undefined) yield* await namedByTools();
  yield { source: "managed", path: options.managedEnvironment };
}

function isThere(directory: string): boolean {
  return directoryProblem(directory) !== "does not exist";
}

function own(source: InterpreterSource, path: string, options: InterpreterOptions): Candidate {
  const missing = directoryProblem(path);
  if (missing !== undefined) return { source, path, problem: missing };
  if (!options.isProjectTrusted)
    return { source, path, problem: "is not used: the project is not trusted (omp trust)" };
  return isOthers(path, options) ? { source, path, problem: "belongs to another user" } : { source, path };
}

/** Whoever owns a directory decides what is in it. A link that the user has made is the user's choice; root needs no tricks. */
function isOthers(directory: string, { uid = process.geteuid?.() }: InterpreterOptions): boolean {
  const paths = isLink(directory) ? [directory] : [directory, join(directory, "bin")];
  return paths.some((path) => {
    const owner = lstatSync(path, { throwIfNoEntry: false })?.uid ?? 0;
    return uid !== undefined && owner !== 0 && owner !== uid;
  });
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function* activated(
  names: readonly ("VIRTUAL_ENV" | "CONDA_PREFIX")[],
  { env, cwd }: Pick<InterpreterOptions, "env" | "cwd">,
): Generator<Candidate> {
  for (const source of names) {
    const path = env[source];
    if (path !== undefined && path !== "") yield { source, path: resolve(cwd, path) };
  }
}

/** One line for each environment that the user has activated and that is not there: another one is used then, and the user should know. */
export function brokenActivations(
  options: Pick<InterpreterOptions, "setting" | "env" | "cwd" | "platform">,
): string[] {
  if (options.setting?.trim()) return [];
  return [...activated(["VIRTUAL_ENV", "CONDA_PREFIX"], options)].flatMap(({ source, path }) => {
    const python = pythonIn(path, options);
    return typeof python === "string" ? [] : [`${source} is not used: ${path} ${python.problem}`];
  });
}

/** From a directory up to the project's root; only the directory itself where that is not above it. */
export function directoriesUpTo(from: string, root: string): string[] {
  const way = relative(root, from);
  if (way === "" || way.startsWith("..") || isAbsolute(way)) return [from];
  return [from, ...directoriesUpTo(dirname(from), root)];
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
  return { found: { path, source: "setting", ...environmentOf(path) }, tried: [] };
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
export function pythonIn(
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

/** What kind of environment a directory is; without a mark of conda's it is taken for a virtual environment. */
function kindOf(directory: string): Pick<Interpreter, "venv" | "conda"> {
  return isConda(directory) ? { venv: undefined, conda: directory } : { venv: directory };
}

/** The environment that an executable belongs to. */
export function environmentOf(path: string): Pick<Interpreter, "venv" | "conda"> {
  const directory = dirname(dirname(path));
  if (isConda(directory)) return { venv: undefined, conda: directory };
  // As Python itself does it: `pyvenv.cfg` beside the executable's directory, links not followed.
  return { venv: isFile(join(directory, "pyvenv.cfg")) ? directory : undefined };
}

function isConda(directory: string): boolean {
  return (
    directoryProblem(join(directory, "conda-meta")) === undefined && !isFile(join(directory, "pyvenv.cfg"))
  );
}

/** On old systems `python` is Python 2 while `python3` is there too. */
function isPython2(path: string): boolean {
  return basename(realpathSync(path)).startsWith("python2");
}
