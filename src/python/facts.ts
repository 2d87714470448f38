/** What an interpreter says about itself, and the check that it really said so: the answer of python/probe.py. */

import { isRecord } from "../protocol/record.ts";

const packageNames = [
  ...(["ipykernel", "jupyter_client", "kernel_gateway", "matplotlib", "pandas", "numpy"] as const),
];
export type ProbedPackage = (typeof packageNames)[number];

/** How a package gets into it; `system` belongs to the operating system's own packages and takes nothing from pip. */
const installers = ["pip", "ensurepip", "system", "none"] as const;

export interface InterpreterFacts {
  readonly path: string;
  /** As Python writes it (`3.13.0rc1`); undefined when it could not be asked, and `problem` says why. */
  readonly version: string | undefined;
  readonly implementation: string | undefined;
  readonly prefix: string | undefined;
  /** Versions of those that are there; `unknown` when the module has no package data. */
  readonly packages: Readonly<Partial<Record<ProbedPackage, string>>>;
  readonly installer: (typeof installers)[number];
  /** What compiled packages must be made for: `cpython-313-x86_64-linux-gnu-x86_64`. */
  readonly tag: string | undefined;
  /** The directories of its module path. */
  readonly paths: readonly string[];
  readonly problem?: string;
}

/** The facts and what they depend on: when one of `watched` has another modification time, they are old. */
export interface Answer {
  readonly facts: InterpreterFacts;
  /** What runs in the end: not the file that was asked, when that is a wrapper script or a pyenv shim. */
  readonly executable: string;
  readonly watched: Readonly<Record<string, string | null>>;
}

/** Reads the JSON of probe.py, or of the cache that holds it; undefined when it is anything else. */
export function readAnswer(path: string, json: unknown): Answer | undefined {
  if (!isRecord(json) || !isRecord(json["packages"]) || !isRecord(json["watched"])) return undefined;
  const { version, implementation, prefix, executable, tag, paths } = json;
  const installer = installers.find((name) => name === json["installer"]);
  if (typeof version !== "string" || typeof implementation !== "string" || installer === undefined) {
    return undefined;
  }
  if (typeof prefix !== "string" || typeof executable !== "string") return undefined;

  if (!(tag === null || typeof tag === "string") || !isStrings(paths)) return undefined;

  const packages: Partial<Record<ProbedPackage, string>> = {};
  for (const name of packageNames) {
    const found = json["packages"][name];
    if (typeof found === "string") packages[name] = found;
  }
  const facts = { path, version, implementation, prefix, packages, installer, tag: tag ?? undefined, paths };
  return { facts, executable, watched: readWatched(json["watched"]) };
}

/** Paths with their modification times, as probe.py and loan.py give them. */
export function readWatched(json: object): Record<string, string | null> {
  const entries = Object.entries(json).map(([path, modified]) => [
    path,
    typeof modified === "string" ? modified : null,
  ]);
  return Object.fromEntries(entries);
}

export function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
