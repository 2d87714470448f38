/** The Pythons of this machine that an environment can be made from, best first. Starts each once, to ask what it is. */

import { delimiter, join } from "node:path";
import { type Environment, executableProblem, findOnPath } from "./executable.ts";
import { type Command, runCommand } from "./managed-environment-command.ts";

/** What ipykernel's oldest release that we support asks for. */
const oldestMinor = 9;

/** Where Pythons are that PATH does not always name: the system's own, and Homebrew's. */
export const usualPlaces: readonly string[] = [
  "/usr/bin/python3",
  "/usr/local/bin/python3",
  "/opt/homebrew/bin/python3",
];

export interface BasePython {
  readonly path: string;
  readonly version: string;
  /** `sys.prefix`: what tells one Python from another. */
  readonly prefix: string;
  /** Where its own packages are, when it is itself a virtual environment: one made from it would not see them. */
  readonly ownPackages: readonly string[];
  /** The version of ipykernel that it has, if any. */
  readonly ipykernel: string | undefined;
}

export interface Attempt {
  /** What was tried: a path or a command in short. */
  readonly what: string;
  readonly problem: string;
}

export interface BaseOptions {
  readonly env: Environment;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly elsewhere: readonly string[];
}

/** Finds lazily: the first one is mostly enough, and asking costs a process each. */
export async function* findBasePythons(
  options: BaseOptions,
  onUnusable: (attempt: Attempt) => void,
): AsyncGenerator<BasePython> {
  const paths = candidates(options);
  // `python`, `python3` and `python3.12` are mostly one and the same.
  const seen = new Set<string>();
  for (const path of paths) {
    const answer = await askPython(path, options);
    if (typeof answer === "string") onUnusable({ what: path, problem: answer });
    else if (!seen.has(answer.prefix)) yield answer;
    if (typeof answer !== "string") seen.add(answer.prefix);
  }
  if (paths.length === 0) onUnusable({ what: "python3", problem: "is not on PATH" });
}

function candidates({ env, cwd, elsewhere }: BaseOptions): string[] {
  const names = [
    "python3",
    "python",
    ...[14, 13, 12, 11, 10, oldestMinor].map((minor) => `python3.${minor}`),
  ];
  const first = names.map((name) => findOnPath(name, { env, cwd }));
  // PATH may hold more than one python3, and the index of packages may be out of reach: then any with ipykernel will do.
  const everyPython3 = (env["PATH"] ?? "").split(delimiter).map((directory) => join(directory, "python3"));
  const all = [...first, ...everyPython3, ...elsewhere].filter(
    (path): path is string => path !== undefined && executableProblem(path) === undefined,
  );
  return [...new Set(all)];
}

const question = `
import json, sys, sysconfig
own = sorted({sysconfig.get_path(name) for name in ("purelib", "platlib")})
try:
    from importlib.metadata import version
    ipykernel = version("ipykernel")
except Exception:
    ipykernel = None
print(json.dumps({"version": "%d.%d.%d" % sys.version_info[:3], "minor": sys.version_info[:2], "prefix": sys.prefix, "ipykernel": ipykernel,
    "ownPackages": [] if sys.prefix == sys.base_prefix else own}))
`;

async function askPython(path: string, options: BaseOptions): Promise<BasePython | string> {
  const command: Command = { ...options, argv: [path, "-c", question], timeoutMs: 20_000 };
  const result = await runCommand(command);
  if (!result.ok) return result.problem;
  const answer: unknown = parse(result.stdout);
  if (!isAnswer(answer)) return "did not say which Python it is";
  const [major, minor] = answer.minor;
  if (major !== 3 || minor < oldestMinor) {
    return `is Python ${answer.version}; 3.${oldestMinor} or newer is needed`;
  }
  const { version, prefix, ownPackages } = answer;
  return { path, version, prefix, ownPackages, ipykernel: answer.ipykernel ?? undefined };
}

interface Answer {
  readonly version: string;
  readonly minor: readonly [number, number];
  readonly prefix: string;
  readonly ownPackages: readonly string[];
  readonly ipykernel: string | null;
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === "object" && value !== null && "version" in value && "minor" in value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
