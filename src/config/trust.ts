/**
 * Whether the user trusts a project. Until then nothing that belongs to it is run or obeyed: cloning a project and starting omp in it
 * must be safe. A trusted project is remembered by its real path, with a digest of each file that was trusted, so that a change is
 * noticed and named.
 */

import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { attempt, systemCode } from "../protocol/error.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { asRecord } from "../protocol/record.ts";
import { projectFileInUse } from "./earlier.ts";
import { ConfigError } from "./errors.ts";
import { type OmpPaths, type ProjectPaths, projectPaths, projectPathsIn } from "./paths.ts";
import { isInside, isOwn } from "./project-file.ts";
import { replaceFile } from "./replace-file.ts";

export interface ProjectTrust {
  /** `nothing`: the project has nothing to run or to obey, so there is nothing to decide. `changed`: it was trusted as it was before. */
  readonly state: "nothing" | "trusted" | "untrusted" | "changed";
  /** What the project would have omp run or obey, relative to its root. */
  readonly wants: readonly string[];
  /** What has changed or is new since it was trusted. */
  readonly changes: readonly string[];
}

/** The project that omp was started in. */
export interface Project extends ProjectPaths {
  readonly trust: ProjectTrust;
  /** Whether what belongs to it may be run and obeyed. */
  readonly isTrusted: boolean;
}

/** Throws ConfigError when the list of trusted projects is damaged. */
export function openProject(
  { cwd, isTrusted = false, env }: Pick<Invocation, "cwd" | "isTrusted"> & Partial<Pick<Invocation, "env">>,
  paths: OmpPaths,
): Project {
  const project = projectPaths(cwd, paths);
  const { trustFile } = paths;
  const trust = readTrust({ root: project.root, cwd, trustFile, searchPath: env?.["PATH"] });
  return {
    ...project,
    trust,
    isTrusted: isTrusted || trust.state === "trusted" || trust.state === "nothing",
  };
}

/** One line about what is not used because the project is not trusted; undefined when nothing is missing. */
export function untrustedNotice({ trust, isTrusted }: Project): string | undefined {
  if (isTrusted) return undefined;
  const why =
    trust.state === "changed"
      ? `changed since you trusted it (${trust.changes.join(", ")})`
      : "is not trusted";
  return `This project ${why}, so these were not used: ${trust.wants.join(", ")}. To use them: omp trust, or --trust for one run.`;
}

export interface TrustSubject {
  readonly root: string;
  readonly cwd: string;
  /** Where trusted projects are remembered. */
  readonly trustFile: string;
  /** PATH: a lock file counts only where its tool is there; without it, none does. */
  readonly searchPath?: string | undefined;
}

/** A project's files, relative to its root, each with what it is known by. */
type Digests = Readonly<Record<string, string>>;

/** Throws ConfigError when the list of trusted projects is damaged: nothing may be trusted by mistake. */
export function readTrust(subject: TrustSubject): ProjectTrust {
  const digests = digestsOf(subject);
  const hasEnvironment = Object.keys(digests).some((file) => PYTHON.test(file));
  const wants = Object.keys(digests).filter(
    (file) => isWish(file) || (!hasEnvironment && isAskedTool(file, subject.searchPath)),
  );
  if (wants.length === 0) return { state: "nothing", wants, changes: [] };
  const before = readStore(subject.trustFile)[realpathSync(subject.root)];
  if (before === undefined || !isOwn(subject.root)) return { state: "untrusted", wants, changes: [] };
  const changes = Object.keys(digests).filter((file) => digests[file] !== before[file]);
  return { state: changes.length === 0 ? "trusted" : "changed", wants, changes };
}

/** Trusts a project as it is now. Throws ConfigError when another user owns it. */
export function trustProject(subject: TrustSubject): ProjectTrust {
  if (!isOwn(subject.root)) {
    const issue = `${subject.root} belongs to another user, who could change what omp runs in it`;
    throw new ConfigError({ kind: "invalid-value", operation: "trust", issue, code: "NOT_OWNED" });
  }
  const root = realpathSync(subject.root);
  const store = readStore(subject.trustFile);
  // What was trusted from another directory of the project stays trusted.
  writeStore(subject.trustFile, { ...store, [root]: { ...store[root], ...digestsOf(subject) } });
  return readTrust(subject);
}

/** @returns whether it was trusted before. */
export function revokeTrust({ root, trustFile }: Omit<TrustSubject, "cwd">): boolean {
  const { [realpathSync(root)]: trusted, ...others } = readStore(trustFile);
  if (trusted === undefined) return false;
  writeStore(trustFile, others);
  return true;
}

const ENVIRONMENTS = [".venv", "venv", ".pixi/envs/default"];
/** Where one of these is, its tool is asked for the environment, and reads what the project says. */
const LOCKS = { "poetry.lock": "poetry", "uv.lock": "uv" };
/** What makes a directory's Python the one that it is. */
const ENVIRONMENT_FILES = ["bin/python", "bin/python3", "pyvenv.cfg"];
/** A project with more in its `.omp` than anybody would review cannot be trusted by reading it again at each start. */
const MAX_FILES = 1_000;

const SETTINGS = /^\.omp\/(?:omp\.jsonc|settings\.json)$/;

/** Whether omp would run or obey the file: the rest of `.omp` is only watched for changes. */
function isWish(file: string): boolean {
  return SETTINGS.test(file) || /^\.omp\/modules\/[^/]+\.py$/.test(file) || PYTHON.test(file);
}

const PYTHON = /(?:^|\/)bin\/python$/;

/** An environment in the project goes before what poetry and uv name, so they are not asked where there is one. */
function isAskedTool(file: string, searchPath: string | undefined): boolean {
  const tool = Object.entries(LOCKS).find(([lock]) => basename(file) === lock)?.[1];
  return tool !== undefined && searchPath !== undefined && Bun.which(tool, { PATH: searchPath }) !== null;
}

function digestsOf({ root, cwd, trustFile }: TrustSubject): Digests {
  const directories = directoriesUpTo(cwd, root);
  const environments = directories.flatMap((directory) =>
    ENVIRONMENTS.flatMap((name) => ENVIRONMENT_FILES.map((file) => join(directory, name, file))),
  );
  const ofProject = join(root, ".omp");
  // Started in the user's home: that `.omp` is omp's own, with the managed environment's thousands of files.
  const isOmpHome = attempt(() => realpathSync(ofProject)) === attempt(() => realpathSync(homeOf(trustFile)));
  const files = [...(isOmpHome ? [] : ownFilesBelow(ofProject, root)), ...environments];
  const locks = directories.flatMap((directory) => Object.keys(LOCKS).map((lock) => join(directory, lock)));
  const entries = [
    ...files.map((file) => [relative(root, file), digestOf(file, root)] as const),
    // Changes with every dependency, and says nothing about where the environment is.
    ...locks.map((file) => [relative(root, file), existsSync(file) ? "there" : undefined] as const),
  ];
  return Object.fromEntries(entries.filter(([, digest]) => digest !== undefined)) as Digests;
}

function homeOf(trustFile: string): string {
  return dirname(dirname(trustFile));
}

/** Without a settings file that is not in use: it is oh-my-pi's, omp does not obey it, and it may change. */
function ownFilesBelow(directory: string, root: string): string[] {
  const inUse = projectFileInUse(projectPathsIn(root)).file;
  return filesBelow(directory).filter((file) => file === inUse || !SETTINGS.test(relative(root, file)));
}

function directoriesUpTo(from: string, root: string): string[] {
  if (from === root || !isInside(from, root)) return [from];
  return [from, ...directoriesUpTo(dirname(from), root)];
}

function filesBelow(directory: string): string[] {
  try {
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory());
    if (files.length > MAX_FILES) {
      const issue = `${directory} has more than ${MAX_FILES} files`;
      throw new ConfigError({ kind: "unreadable", operation: "trust", issue, code: "TOO_MANY_FILES" });
    }
    return files.map((entry) => join(entry.parentPath, entry.name)).sort();
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}

/** Undefined when there is no such file. A link is known by where it leads and, inside the project, by what is there. */
function digestOf(path: string, root: string): string | undefined {
  try {
    const link = lstatSync(path).isSymbolicLink() ? `link to ${readlinkSync(path)}` : "";
    const real = realpathSync(path);
    if (link !== "" && !isInside(real, realpathSync(root))) return link;
    const stat = statSync(real);
    if (!stat.isFile()) return `${link} not a file`;
    return `${link} ${createHash("sha256").update(readFileSync(real)).digest("hex")}`.trim();
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
    // Not readable now does not mean not readable later.
    if (systemCode(error) !== undefined) return "unreadable";
    throw error;
  }
}

function readStore(file: string): Readonly<Record<string, Digests>> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return {};
    throw damagedStoreError(file, systemCode(error), error);
  }
  try {
    return asRecord(asRecord(JSON.parse(text))["projects"]) as Readonly<Record<string, Digests>>;
  } catch (error) {
    throw damagedStoreError(file, "SYNTAX_ERROR", error);
  }
}

function damagedStoreError(file: string, code: string | undefined, cause: unknown): ConfigError {
  const issue = `the list of trusted projects cannot be read: ${file}; correct or remove it`;
  return new ConfigError({ kind: "unreadable", operation: "trust", issue, code, cause });
}

function writeStore(file: string, projects: Readonly<Record<string, Digests>>): void {
  try {
    replaceFile(file, `${JSON.stringify({ version: 1, projects }, undefined, 2)}\n`);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    throw new ConfigError({
      kind: "unwritable",
      operation: "trust",
      issue: `cannot write ${file}`,
      code,
      cause: error,
    });
  }
}
