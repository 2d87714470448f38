/** The Pythons of this machine that an environment can be made from, best first. Starts each once, to ask what it is. */

import { existsSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { executableProblem, findOnPath } from "./executable.ts";
import { isAtLeast, minimumPython } from "./preflight.ts";
import { probeInterpreter } from "./probe.ts";

/** Where Pythons are that PATH does not always name: the system's own, and Homebrew's. */
export const usualPythons: readonly string[] = [
  "/usr/bin/python3",
  "/usr/local/bin/python3",
  "/opt/homebrew/bin/python3",
];

const NEWEST_MINOR = 14;
const TIMEOUT_MS = 20_000;

export interface BasePython {
  readonly path: string;
  readonly version: string;
  /** `sys.prefix`; with the version it tells one Python from another. */
  readonly prefix: string;
  /** The version of ipykernel that it has, if any. */
  readonly ipykernel: string | undefined;
}

export interface Attempt {
  /** What was tried: a path or a command in short. */
  readonly what: string;
  readonly problem: string;
  /** What would have made it work, where that is known: any Python, the rest of its standard library, or a pip. */
  readonly lacks?: "Python" | "library" | "pip";
}

export interface BaseOptions {
  readonly env: Record<string, string>;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly elsewhere: readonly string[];
  /** The first to be taken. */
  readonly prefer?: string | undefined;
}

/** Lazy: the first one is usually enough, and asking costs a process each. */
export async function* findBasePythons(
  options: BaseOptions,
  onUnusable: (attempt: Attempt) => void,
): AsyncGenerator<BasePython> {
  const paths = candidates(options);
  // `python`, `python3` and `python3.12` are usually one and the same; but /usr may have several, each of another version.
  const seen = new Set<string>();
  for (const path of paths) {
    const answer = await askPython(path, options);
    if (typeof answer === "string") {
      // Debian's python3-minimal is enough for the system's scripts, and for nothing else.
      const lacks = /No module named/.test(answer) ? ({ lacks: "library" } as const) : {};
      onUnusable({ what: path, problem: answer, ...lacks });
      continue;
    }
    const identity = `${answer.prefix} ${answer.version}`;
    if (!seen.has(identity)) yield answer;
    seen.add(identity);
  }
  if (paths.length === 0) onUnusable({ what: "python3", problem: "is not on PATH", lacks: "Python" });
}

function candidates({ env, cwd, elsewhere, prefer }: BaseOptions): string[] {
  const [major, oldestMinor] = minimumPython;
  const minors = Array.from({ length: NEWEST_MINOR - oldestMinor + 1 }, (_, index) => NEWEST_MINOR - index);
  const names = ["python3", "python", ...minors.map((minor) => `python${major}.${minor}`)];
  const first = names.map((name) => findOnPath(name, { env, cwd }));
  // PATH may hold more than one python3, and the package index may be out of reach: then any with ipykernel will do.
  const everyPython3 = (env["PATH"] ?? "").split(delimiter).map((directory) => join(directory, "python3"));
  const all = [prefer, ...first, ...everyPython3, ...elsewhere].filter(
    (path): path is string => path !== undefined && executableProblem(path) === undefined,
  );
  // /bin is often /usr/bin. The file itself may be a link that matters, as an environment's python is.
  const places = new Map<string, string>();
  for (const path of all) {
    const place = join(realpathSync(dirname(path)), basename(path));
    if (!places.has(place)) places.set(place, path);
  }
  return [...places.values()];
}

async function askPython(path: string, { env, signal }: BaseOptions): Promise<BasePython | string> {
  const { version, prefix, packages, problem } = await probeInterpreter(path, {
    env,
    signal,
    timeoutMs: TIMEOUT_MS,
  });
  signal.throwIfAborted();
  if (problem !== undefined || version === undefined || prefix === undefined) return problem ?? "is unusable";
  return isAtLeast(version, minimumPython)
    ? { path, version, prefix, ipykernel: packages.ipykernel }
    : `is Python ${version}; ${minimumPython.join(".")} or newer is needed`;
}

/** Where a virtual environment of this Python version has its packages. */
export function packageDirectories(environment: string, version: string): string[] {
  const python = `python${version.split(".", 2).join(".")}`;
  // Packages with binaries are in lib64 on some systems, where that is not a link to lib.
  return ["lib", "lib64"].map((library) => join(environment, library, python, "site-packages"));
}

/** Its own packages, when it is itself a virtual environment: one made from it would not see them. */
export function ownPackages({ prefix, version }: BasePython): string[] {
  if (!existsSync(join(prefix, "pyvenv.cfg"))) return [];
  return packageDirectories(prefix, version).filter((directory) => existsSync(directory));
}
