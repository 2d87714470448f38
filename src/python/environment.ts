/**
 * Which environment variables a kernel, shell or script gets: those named in environment-names.ts, never one that looks
 * like a secret, what the user's direnv sets, and whatever the setting `environment.pass` names, which wins over all.
 *
 * The names are the contract with the user (docs/doctor.md); values are never shown.
 */

import { delimiter, dirname, isAbsolute, join } from "node:path";
import { inflateSync } from "node:zlib";
import { attempt } from "../protocol/error.ts";
import { asRecord, parseJson } from "../protocol/record.ts";
import {
  allowedNames,
  allowedPrefixes,
  PATH_NAME,
  proxyNames,
  SECRET_NAME,
  SECRET_VALUE,
} from "./environment-names.ts";
import { type Environment, findOnPath, pathVariable } from "./executable.ts";
import type { Interpreter } from "./interpreter.ts";
import { lacksPip } from "./lent-pip.ts";

export interface EnvironmentOptions {
  readonly env: Environment;
  /** Names, or prefixes with a trailing `*`, that are passed in any case. */
  readonly pass: readonly string[];
  readonly interpreter?: Interpreter | undefined;
  /** The directory of the programs that an environment without pip is lent. */
  readonly lentPrograms?: string | undefined;
  readonly platform?: NodeJS.Platform | undefined;
}

/** What the filter does to a variable, and the reason. Values are never shown. */
export interface VariableVerdict {
  readonly name: string;
  readonly verdict: "passed" | "secret" | "unlisted";
  readonly why: string;
}

export interface EnvironmentExplanation {
  /** Sorted by name. */
  readonly variables: readonly VariableVerdict[];
  /** Entries of `pass` that match nothing that is set. */
  readonly unmatched: readonly string[];
}

export function childEnvironment(options: EnvironmentOptions): Record<string, string> {
  const platform = options.platform ?? process.platform;
  const fromDirenv = direnvNames(options.env);
  const child: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.env)) {
    if (value !== undefined && judge(name, value, options, fromDirenv).verdict === "passed")
      child[name] = value;
  }
  if (options.interpreter !== undefined)
    enterEnvironment(child, options.interpreter, { platform, lentPrograms: options.lentPrograms });
  return child;
}

/** What the filter does to this environment, by name: for `omp doctor`. */
export function explainEnvironment(options: Omit<EnvironmentOptions, "interpreter">): EnvironmentExplanation {
  const { env, pass, platform } = options;
  const fromDirenv = direnvNames(env);
  const set = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return {
    variables: set
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => ({ name, ...judge(name, value, options, fromDirenv) })),
    unmatched: pass.filter((pattern) => !set.some(([name]) => matches(name, pattern, platform))),
  };
}

function judge(
  name: string,
  value: string,
  { pass, platform }: EnvironmentOptions,
  fromDirenv: ReadonlySet<string>,
): Omit<VariableVerdict, "name"> {
  const passed = (why: string) => ({ verdict: "passed", why }) as const;
  const secret = (why: string) => ({ verdict: "secret", why }) as const;
  if (pass.some((pattern) => matches(name, pattern, platform))) return passed("environment.pass");
  const hasPassword = SECRET_VALUE.test(value);
  if (PATH_NAME.test(name) && isAbsolute(value) && !hasPassword) return passed("the path of a file");
  if (SECRET_NAME.test(name)) return secret("its name looks like a secret's");
  const key = (platform ?? process.platform) === "win32" ? name.toUpperCase() : name;
  const why =
    allowedNames.get(key) ??
    allowedPrefixes.find((prefix) => key.startsWith(prefix))?.concat("*") ??
    (fromDirenv.has(name) ? "set by direnv" : undefined);
  if (why === undefined) return { verdict: "unlisted", why: "not on the list" };
  return hasPassword && !proxyNames.has(key) ? secret("an address with a password or token") : passed(why);
}

const MAX_DIFF_BYTES = 1_000_000;

/**
 * What the project's `.envrc` sets, which the user has allowed: direnv keeps the difference that it made in DIRENV_DIFF. That variable
 * itself has every value in it, and is not passed.
 */
function direnvNames({ DIRENV_DIFF: diff }: Environment): ReadonlySet<string> {
  if (diff === undefined) return new Set();
  // Undefined for another format than that of today's direnv.
  const text = attempt(() =>
    inflateSync(Buffer.from(diff, "base64url"), { maxOutputLength: MAX_DIFF_BYTES }),
  );
  return new Set(Object.keys(asRecord(asRecord(parseJson(text?.toString() ?? ""))["n"])));
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
  { venv, conda, path }: Interpreter,
  {
    platform,
    lentPrograms,
  }: Pick<EnvironmentOptions, "lentPrograms"> & { readonly platform: NodeJS.Platform },
): void {
  const programs = (environment: string) => join(environment, platform === "win32" ? "Scripts" : "bin");
  const name = pathVariable(child, platform);
  // A virtual environment is often made from a conda environment that stays active, and then shares its libraries.
  const left = [child["VIRTUAL_ENV"], venv === undefined ? child["CONDA_PREFIX"] : undefined];
  const isLeft = (entry: string) =>
    left.some((environment) => environment !== undefined && entry === programs(environment));
  // A set but short PATH hides the shell's own default, so that default is spelled out where there was no PATH at all.
  const entries = (child[name] ?? "/usr/local/bin:/usr/bin:/bin").split(delimiter);
  const rest = entries.filter((entry) => entry !== "" && !isLeft(entry));
  const environment = venv ?? conda;
  const first = environment === undefined ? dirname(path) : programs(environment);
  const search = { env: { [name]: rest.join(delimiter) }, cwd: "/", platform };
  const isFoundAnyway =
    environment === undefined && ["python", "python3"].some((it) => findOnPath(it, search) === path);
  const lent = lentPrograms !== undefined && lacksPip(first) ? [lentPrograms] : [];
  const others = rest.filter((entry) => entry !== first && entry !== lentPrograms);
  child[name] = (isFoundAnyway ? rest : [first, ...lent, ...others]).join(delimiter);
  if (environment !== undefined) delete child["PYTHONHOME"];
  if (venv !== undefined) {
    child["VIRTUAL_ENV"] = venv;
    return;
  }
  delete child["VIRTUAL_ENV"];
  enterConda(child, conda);
}

/** The variables of conda's that name the active environment. */
function enterConda(child: Record<string, string>, conda: string | undefined): void {
  if (conda === child["CONDA_PREFIX"]) return;
  for (const name of ["CONDA_PREFIX", "CONDA_DEFAULT_ENV", "CONDA_PROMPT_MODIFIER"]) delete child[name];
  if (conda === undefined) return;
  child["CONDA_PREFIX"] = conda;
  child["CONDA_DEFAULT_ENV"] = conda;
}
