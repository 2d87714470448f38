/**
 * Jupyter's kernelspecs on this machine: which there are, and how one starts. Looks at files only.
 *
 *   $JUPYTER_PATH/kernels/<name>/kernel.json          then the interpreter's own share/jupyter/kernels,
 *   the user's data directory, /usr/local/share/jupyter, /usr/share/jupyter; the first of a name wins
 */

import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { attempt } from "../protocol/error.ts";
import { asRecord, parseJson } from "../protocol/record.ts";
import { type Environment, executableProblem, findOnPath, isFile } from "./executable.ts";
import { environmentOf, type Interpreter } from "./interpreter.ts";

export interface KernelSpec {
  readonly name: string;
  /** Where its `kernel.json` is. */
  readonly directory: string;
  /** In small letters: `python`, `r`, `julia`. */
  readonly language: string;
  /** With `{connection_file}` where the file's path goes. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface KernelSpecOptions {
  readonly env: Environment;
  readonly cwd: string;
  readonly home: string;
  /** The one that would be used without a kernelspec: `python` in an argv means it. */
  readonly interpreter: Interpreter | undefined;
  /** The system's directories; default: Jupyter's. */
  readonly systemDirectories?: readonly string[];
  readonly platform?: NodeJS.Platform | undefined;
}

/** How kernels of a kernelspec start. */
export interface KernelSpecLaunch {
  readonly interpreter: Interpreter;
  /** Undefined when it is nothing but ipykernel in that interpreter, which omp starts in its own, quicker way. */
  readonly argv: readonly string[] | undefined;
  readonly env: Readonly<Record<string, string>>;
}

export interface KernelSpecProblem {
  readonly issue: string;
  readonly code: "KERNELSPEC_NOT_FOUND" | "KERNELSPEC_LANGUAGE" | "KERNELSPEC_UNUSABLE";
}

const NATIVE = "python3";

/** What `python.kernelSpec` means here. */
export function kernelSpecLaunch(
  name: string,
  options: KernelSpecOptions,
): KernelSpecLaunch | KernelSpecProblem {
  const specs = findKernelSpecs(options);
  // Jupyter ignores case, too.
  const spec = specs.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
  if (spec === undefined) {
    // Every Python with ipykernel has this one, with a file or without.
    if (name === NATIVE && options.interpreter !== undefined)
      return { interpreter: options.interpreter, argv: undefined, env: {} };
    const names = [...new Set([NATIVE, ...specs.map((found) => found.name)])].sort().join(", ");
    return {
      issue: `no kernelspec '${name}' on this machine; available: ${names}`,
      code: "KERNELSPEC_NOT_FOUND",
    };
  }
  if (spec.language !== "python") {
    return {
      issue: `the kernelspec '${name}' is for ${spec.language || "another language"}, and the python tool needs a Python kernel`,
      code: "KERNELSPEC_LANGUAGE",
    };
  }
  return launchOf(spec, options);
}

export function isLaunch(result: KernelSpecLaunch | KernelSpecProblem): result is KernelSpecLaunch {
  return "interpreter" in result;
}

/** The kernelspecs that can be read, by name; the others are left out. */
export function findKernelSpecs(options: KernelSpecOptions): readonly KernelSpec[] {
  const found = new Map<string, KernelSpec>();
  for (const directory of kernelDirectories(options)) {
    for (const name of namesIn(directory)) {
      const spec = found.has(name) ? undefined : readSpec(name, join(directory, name));
      if (spec !== undefined) found.set(name, spec);
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function kernelDirectories(options: KernelSpecOptions): string[] {
  const { env, home, interpreter, platform = process.platform } = options;
  const named = (env["JUPYTER_PATH"] ?? "").split(delimiter).filter((path) => path !== "");
  const prefix =
    interpreter &&
    (interpreter.venv ?? interpreter.conda ?? dirname(dirname(realpathSync(interpreter.path))));
  const user =
    env["JUPYTER_DATA_DIR"] ||
    (platform === "darwin"
      ? join(home, "Library", "Jupyter")
      : join(env["XDG_DATA_HOME"] || join(home, ".local", "share"), "jupyter"));
  const system = options.systemDirectories ?? ["/usr/local/share/jupyter", "/usr/share/jupyter"];
  return [...named, ...(prefix ? [join(prefix, "share", "jupyter")] : []), user, ...system].map((path) =>
    join(path, "kernels"),
  );
}

function namesIn(directory: string): string[] {
  // Most of these directories are not there.
  const names = attempt(() => readdirSync(directory)) ?? [];
  return names.filter((name) => isFile(join(directory, name, "kernel.json")));
}

function readSpec(name: string, directory: string): KernelSpec | undefined {
  const text = attempt(() => readFileSync(join(directory, "kernel.json"), "utf8")) ?? "";
  const { argv, language, env } = asRecord(parseJson(text));
  if (!Array.isArray(argv)) return undefined;
  return {
    name,
    directory,
    language: String(language ?? "").toLowerCase(),
    argv: argv.map(String),
    env: Object.fromEntries(Object.entries(asRecord(env)).map(([key, value]) => [key, String(value)])),
  };
}

function launchOf(spec: KernelSpec, options: KernelSpecOptions): KernelSpecLaunch | KernelSpecProblem {
  const [program = "", ...rest] = spec.argv.map((word) => word.replaceAll("{resource_dir}", spec.directory));
  // As Jupyter has it: a bare `python` is the Python that would be taken anyway, not the first one on PATH.
  const isNative = /^python(3(\.\d+)?)?$/.test(program) && options.interpreter !== undefined;
  const path = isNative
    ? options.interpreter?.path
    : program.includes("/")
      ? program
      : findOnPath(program, options);
  const problem = path === undefined ? "is not on PATH" : executableProblem(path);
  if (path === undefined || problem !== undefined) {
    const issue = `the kernelspec '${spec.name}' starts ${path ?? program}, which ${problem}`;
    return { issue, code: "KERNELSPEC_UNUSABLE" };
  }
  const interpreter: Interpreter =
    isNative && options.interpreter !== undefined
      ? options.interpreter
      : { path, source: "kernelspec", ...environmentOf(path) };
  return {
    interpreter,
    argv: isPlainIpykernel([path, ...rest]) ? undefined : [path, ...rest],
    env: Object.fromEntries(
      Object.entries(spec.env).map(([name, value]) => [name, withVariables(value, options.env)]),
    ),
  };
}

/** omp starts these itself, with the same effect. */
function isPlainIpykernel([program = "", ...rest]: readonly string[]): boolean {
  const words = rest.filter((word) => word !== "-Xfrozen_modules=off").join(" ");
  return (
    basename(program).startsWith("python") && /^-m ipykernel(_launcher)? -f \{connection_file\}$/.test(words)
  );
}

/** `${NAME}` as Jupyter replaces it; a variable that is not set stays as it is written. */
function withVariables(value: string, env: Environment): string {
  return value.replace(/\$\{(\w+)\}|\$(\w+)/g, (written, braced, bare) => env[braced ?? bare] ?? written);
}
