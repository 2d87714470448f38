/**
 * Which environment variables a kernel, shell or script gets: those named in environment-names.ts, never one that looks
 * like a secret, and whatever the user's setting `environment.pass` names, which wins over both.
 *
 * The names are the contract with the user (docs/doctor.md); values are never shown.
 */

import { delimiter, dirname, join } from "node:path";
import { allowedNames, allowedPrefixes, proxyNames, SECRET_NAME, SECRET_VALUE } from "./environment-names.ts";
import { type Environment, findOnPath, pathVariable } from "./executable.ts";
import type { Interpreter } from "./interpreter.ts";

export interface EnvironmentOptions {
  readonly env: Environment;
  /** Names, or prefixes with a trailing `*`, that are passed in any case. */
  readonly pass: readonly string[];
  readonly interpreter?: Interpreter | undefined;
  readonly platform?: NodeJS.Platform | undefined;
}

export interface EnvironmentExplanation {
  /** Sorted names of what children get. */
  readonly passed: readonly string[];
  /** Sorted names of what they do not get because it looks like a secret … */
  readonly secret: readonly string[];
  /** … or because nothing allows it. */
  readonly unlisted: readonly string[];
  /** Entries of `pass` that match nothing that is set. */
  readonly unmatched: readonly string[];
}

export function childEnvironment(options: EnvironmentOptions): Record<string, string> {
  const platform = options.platform ?? process.platform;
  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.env)) {
    if (value !== undefined && verdict(name, value, options) === "passed") child[name] = value;
  }
  if (options.interpreter !== undefined) enterEnvironment(child, options.interpreter, platform);
  return child;
}

/** What the filter does to this environment, by name: for `omp doctor`. */
export function explainEnvironment(options: Omit<EnvironmentOptions, "interpreter">): EnvironmentExplanation {
  const names: Record<Verdict, string[]> = { passed: [], secret: [], unlisted: [] };
  for (const [name, value] of Object.entries(options.env)) {
    if (value !== undefined) names[verdict(name, value, options)].push(name);
  }
  const set = Object.keys(options.env).filter((name) => options.env[name] !== undefined);
  return {
    passed: names.passed.sort(),
    secret: names.secret.sort(),
    unlisted: names.unlisted.sort(),
    unmatched: options.pass.filter(
      (pattern) => !set.some((name) => matches(name, pattern, options.platform)),
    ),
  };
}

type Verdict = "passed" | "secret" | "unlisted";

function verdict(name: string, value: string, { pass, platform }: EnvironmentOptions): Verdict {
  if (pass.some((pattern) => matches(name, pattern, platform))) return "passed";
  if (SECRET_NAME.test(name)) return "secret";
  const key = (platform ?? process.platform) === "win32" ? name.toUpperCase() : name;
  if (!allowedNames.has(key) && !allowedPrefixes.some((prefix) => key.startsWith(prefix))) return "unlisted";
  return SECRET_VALUE.test(value) && !proxyNames.has(key) ? "secret" : "passed";
}

function matches(name: string, pattern: string, platform: NodeJS.Platform = process.platform): boolean {
  const [have, want] = platform === "win32" ? [name.toUpperCase(), pattern.toUpperCase()] : [name, pattern];
  return want.endsWith("*") ? have.startsWith(want.slice(0, -1)) : have === want;
}

/**
 * What `deactivate` of the active environment and `activate` of the interpreter's would do, so that `pip` and `python` mean the
 * chosen one. A Python outside of any environment is first on PATH, too, unless it is the one that is found there anyway.
 */
function enterEnvironment(
  child: Record<string, string>,
  { venv, path }: Interpreter,
  platform: NodeJS.Platform,
): void {
  const programs = (environment: string) => join(environment, platform === "win32" ? "Scripts" : "bin");
  const name = pathVariable(child, platform);
  const active = child["VIRTUAL_ENV"];
  const isActive = (entry: string) => active !== undefined && entry === programs(active);
  // A set but short PATH hides the shell's own default, so that default is spelled out where there was no PATH at all.
  const entries = (child[name] ?? "/usr/local/bin:/usr/bin:/bin").split(delimiter);
  const rest = entries.filter((entry) => entry !== "" && !isActive(entry));
  const first = venv === undefined ? dirname(path) : programs(venv);
  const search = { env: { [name]: rest.join(delimiter) }, cwd: "/", platform };
  const isFoundAnyway =
    venv === undefined && ["python", "python3"].some((it) => findOnPath(it, search) === path);
  child[name] = (isFoundAnyway ? rest : [first, ...rest.filter((entry) => entry !== first)]).join(delimiter);
  if (venv === undefined) {
    delete child["VIRTUAL_ENV"];
    return;
  }
  child["VIRTUAL_ENV"] = venv;
  delete child["PYTHONHOME"];
}
