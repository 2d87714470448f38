/**
 * Python environments that omp makes for itself: the managed one of `omp setup`, and the tests' own. Owns when one has to
 * be made, and how it gets to its final path.
 *
 * It is built in a directory next to that and renamed, so that the environment is always complete: an interrupted build
 * leaves only an unused directory, which the next builder removes. A venv is not made to be moved (scripts and
 * `pyvenv.cfg` hold its path), so the path is rewritten in them before the rename; the temporary name is unique, which
 * makes that a plain replacement of text.
 */

import { createHash } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { sleep } from "../async/sleep.ts";
import { lockOwner, openLockFile, removeLockFile } from "../process/file-lock.ts";
import { isAlive } from "../process/identity.ts";
import { sharedWatchdog } from "../process/watchdog.ts";
import { attempt, systemCode } from "../protocol/error.ts";
import { parseJson } from "../protocol/record.ts";
import { type Attempt, usualPythons } from "./base-pythons.ts";
import type { Environment } from "./executable.ts";
import { buildEnvironment, inspectEnvironment, leastImports, type Way } from "./managed-environment-build.ts";
import { environmentFailure, UnwritableError } from "./managed-environment-errors.ts";
import { pythonOf } from "./managed-environment-work.ts";
import { managedPackages, pinnedPackages } from "./managed-requirements.ts";

const RECORD_NAME = "omp-environment.json";
const LOCK_POLL_MS = 100;

export type Requirements =
  | { readonly packages: readonly string[] }
  | { readonly file: string }
  /** The text of a requirements file with exact versions and hashes, and what is asked of an index that lacks these. */
  | { readonly pinned: string; readonly otherwise: readonly string[] };

export interface EnvironmentPlan {
  /** Where the environment is to be. */
  readonly target: string;
  readonly requirements: Requirements;
  /** The packages in a word or two, for progress lines. */
  readonly label: string;
  /** Modules that must be importable before the environment counts as made. */
  readonly imports: readonly string[];
  /** May it fall back to another Python's ipykernel when the package index is out of reach? */
  readonly borrow: boolean;
  /** May an environment that the user made at this path be used as it is, when the imports work? */
  readonly adopt: boolean;
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly onProgress: (line: string) => void;
  /** Pythons to look at beside those on PATH, and the one to make it from rather than any other. */
  readonly elsewhere: readonly string[];
  readonly prefer?: string | undefined;
  /** Directories that may have pip's wheel; default: the system's own. */
  readonly wheels?: readonly string[] | undefined;
  /** A file that is pip's wheel; default: the one inside omp, where it is a build. */
  readonly embeddedPip?: string | undefined;
  /** Which uv makes it; default: the one on PATH. */
  readonly uv?: string | undefined;
}

export interface EnvironmentRecord {
  readonly way: Way | "by hand";
  /** Whether it has exactly the pinned packages, checked by their hashes. */
  readonly isPinned: boolean;
  /** Of the requirements that it was made from. */
  readonly requirements: string;
  /** What `bin/python` really is: another one (an upgrade) would not see the packages. */
  readonly executable: string;
  readonly python: string;
  readonly packages: Readonly<Record<string, string>>;
}

/** The environment of `omp setup` and `npm start`: just enough for a kernel with plots. */
export function managedPlan(
  options: Pick<EnvironmentPlan, "target" | "env" | "signal" | "onProgress"> & Partial<EnvironmentPlan>,
): EnvironmentPlan {
  return {
    requirements: { pinned: pinnedPackages, otherwise: managedPackages },
    label: "ipykernel",
    imports: ["ipykernel.kernelapp"],
    borrow: true,
    adopt: true,
    elsewhere: usualPythons,
    ...options,
  };
}

/** What is there, without starting a process; undefined when there is nothing that can be used. */
export function readEnvironment(target: string): EnvironmentRecord | undefined {
  return attempt(() => {
    const text = readFileSync(join(target, RECORD_NAME), "utf8");
    const record = parseJson(text) as EnvironmentRecord | undefined;
    return realpathSync(pythonOf(target)) === record?.executable ? record : undefined;
  });
}

/** True when the environment is there, as these requirements want it. Costs a few file reads. */
export function environmentIsCurrent(plan: Pick<EnvironmentPlan, "target" | "requirements">): boolean {
  return readEnvironment(plan.target)?.requirements === requirementsHash(plan.requirements);
}

export interface Ensured {
  readonly record: EnvironmentRecord;
  readonly changed: boolean;
  /** Packages that the user had added to the environment that this one replaced. */
  readonly lost: readonly string[];
}

/**
 * Makes the environment unless it is there; with `force` in any case. Throws EnvironmentError with all that was tried, or UnwritableError.
 */
export async function ensureEnvironment(
  plan: EnvironmentPlan,
  { force = false }: { force?: boolean } = {},
): Promise<Ensured> {
  const parent = dirname(plan.target);
  const release = await lockEnvironment(plan, parent);
  try {
    removeLeftovers(plan.target);
    if (!force) {
      const there = (await checkedRecord(plan)) ?? (await adoptEnvironment(plan));
      if (there !== undefined) return { record: there, changed: false, lost: [] };
    }
    return await makeEnvironment(plan, parent);
  } finally {
    release();
  }
}

/** One builder at a time. @returns what releases the lock. */
async function lockEnvironment(
  { target, signal, onProgress }: EnvironmentPlan,
  parent: string,
): Promise<() => void> {
  const path = `${target}.lock`;
  let isWaiting = false;
  try {
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    for (;;) {
      signal.throwIfAborted();
      const file = openLockFile(path);
      if (file !== undefined) return () => removeLockFile(path, file);
      const owner = lockOwner(path);
      if (owner !== undefined && !isWaiting) {
        isWaiting = true;
        onProgress(`waiting for another set-up (process ${owner})`);
      }
      await sleep(LOCK_POLL_MS, signal);
    }
  } catch (error) {
    const code = systemCode(error);
    throw code === undefined ? error : new UnwritableError(parent, code, { cause: error });
  }
}

async function makeEnvironment(plan: EnvironmentPlan, parent: string): Promise<Ensured> {
  const token = `${basename(plan.target)}.partial-${process.pid}-${crypto.randomUUID().slice(0, 8)}`;
  const directory = join(parent, token);
  const tried: Attempt[] = [];
  // Even if this process is killed, pip is ended and the directory removed.
  const release = sharedWatchdog().guardDirectory(directory);
  try {
    const built = await buildEnvironment({ plan, directory, cwd: parent, tried });
    if (built === undefined) throw environmentFailure(plan.target, parent, tried);
    rewritePaths(directory, token, basename(plan.target));
    const record: EnvironmentRecord = {
      ...built,
      requirements: built.way === "borrowed" && !plan.adopt ? "" : requirementsHash(plan.requirements),
      executable: realpathSync(pythonOf(directory)),
    };
    writeRecord(directory, record);
    chmodSync(directory, 0o700);
    const before = readEnvironment(plan.target)?.packages ?? {};
    putInPlace(directory, plan.target);
    return { record, changed: true, lost: Object.keys(before).filter((name) => !(name in built.packages)) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
    release();
  }
}

/** The record, if it is still true: what it names may have been uninstalled since. */
async function checkedRecord(plan: EnvironmentPlan): Promise<EnvironmentRecord | undefined> {
  const record = readEnvironment(plan.target);
  if (record === undefined || record.requirements !== requirementsHash(plan.requirements)) return undefined;
  const facts = await inspectEnvironment(
    plan,
    plan.target,
    record.way === "borrowed" ? leastImports : plan.imports,
  );
  if ("problem" in facts) {
    plan.onProgress(`repairing ${plan.target}: ${facts.problem}`);
    return undefined;
  }
  return { ...record, ...facts };
}

async function adoptEnvironment(plan: EnvironmentPlan): Promise<EnvironmentRecord | undefined> {
  if (!plan.adopt || readEnvironment(plan.target) !== undefined || !isThere(pythonOf(plan.target)))
    return undefined;
  const facts = await inspectEnvironment(plan, plan.target, plan.imports);
  if ("problem" in facts) return undefined;
  const requirements = requirementsHash(plan.requirements);
  const executable = realpathSync(pythonOf(plan.target));
  const record: EnvironmentRecord = { way: "by hand", isPinned: false, requirements, executable, ...facts };
  writeRecord(plan.target, record);
  return record;
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function requirementsHash(requirements: Requirements): string {
  return createHash("sha256").update(requirementsText(requirements)).digest("hex");
}

function requirementsText(requirements: Requirements): string | Buffer {
  if ("pinned" in requirements) return requirements.pinned;
  return "file" in requirements ? readFileSync(requirements.file) : requirements.packages.join("\n");
}

function writeRecord(directory: string, record: EnvironmentRecord): void {
  writeFileSync(join(directory, RECORD_NAME), `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
}

/** Scripts, activation files and pyvenv.cfg. Each is replaced, not overwritten, as uv links files from its cache. */
function rewritePaths(directory: string, from: string, to: string): void {
  const scripts = readdirSync(join(directory, "bin"), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(directory, "bin", entry.name));
  for (const file of [join(directory, "pyvenv.cfg"), ...scripts]) {
    const content = readFileSync(file);
    if (!content.includes(from)) continue;
    const { mode } = statSync(file);
    rmSync(file);
    // latin1 keeps every byte as it is.
    writeFileSync(file, content.toString("latin1").replaceAll(from, to), { encoding: "latin1", mode });
    chmodSync(file, mode);
  }
}

function putInPlace(directory: string, target: string): void {
  const old = `${target}.old-${process.pid}-${crypto.randomUUID().slice(0, 8)}`;
  const hadOne = isThere(target);
  if (hadOne) renameSync(target, old);
  renameSync(directory, target);
  if (hadOne) rmSync(old, { recursive: true, force: true });
}

/** Removes what killed builders have left. Called with the lock held; directories of running builders are left alone anyway. */
function removeLeftovers(target: string): void {
  const name = basename(target);
  for (const entry of readdirSync(dirname(target))) {
    const pid = entry.startsWith(name) && /^\.(?:partial|old)-(\d+)-/.exec(entry.slice(name.length))?.[1];
    if (!pid || (Number(pid) !== process.pid && isAlive(Number(pid)))) continue;
    rmSync(join(dirname(target), entry), { recursive: true, force: true });
  }
}
