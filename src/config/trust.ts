/**
 * Whether the user trusts a project. Until then nothing that belongs to it is run or obeyed: cloning a project and starting omp in it
 * must be safe. A trusted project is remembered by its real path, with a digest of each file that was trusted, so that a change is
 * noticed and named.
 */

import { readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { attempt, systemCode } from "../protocol/error.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { asRecord } from "../protocol/record.ts";
import { AGENT_FILE } from "./agents.ts";
import { ConfigError, quoted, shownName } from "./errors.ts";
import { projectServers, SERVER_NAME } from "./mcp-list.ts";
import { type OmpPaths, type ProjectPaths, projectPaths } from "./paths.ts";
import {
  type Digests,
  LOCKS,
  MAX_FILES,
  MCP_FILE,
  type ProjectDigests,
  projectDigests,
  SETTINGS,
} from "./project-digests.ts";
import { isOwn } from "./project-file.ts";
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
  const activated = [env?.["VIRTUAL_ENV"], env?.["CONDA_PREFIX"]].filter((path) => path !== undefined);
  const trust = readTrust({ root: project.root, cwd, trustFile, searchPath: env?.["PATH"], activated });
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
  /** Environments that the user has activated: their choice, which needs no question. */
  readonly activated?: readonly string[];
}

/** Throws ConfigError when the list of trusted projects is damaged: nothing may be trusted by mistake. */
export function readTrust(subject: TrustSubject): ProjectTrust {
  const { digests, named, isCut } = digestsOf(subject);
  const hasEnvironment = Object.keys(digests).some((file) => PYTHON.test(file));
  const wants = Object.keys(digests)
    .filter((file) => {
      // One name of a Python is enough.
      const isSecond = file.endsWith("python3") && file.slice(0, -1) in digests;
      if (isActivated(file, subject)) return false;
      return (
        ((isWish(file) || named.includes(file)) && !isSecond) ||
        (!hasEnvironment && isAskedTool(file, subject.searchPath))
      );
    })
    .map((file) => (file === MCP_FILE ? `${file}${serverNames(subject.root)}` : shownName(file)));
  if (isCut) return { state: "untrusted", wants: Object.keys(digests), changes: [] };
  if (wants.length === 0) return { state: "nothing", wants, changes: [] };
  const before = readStore(subject.trustFile)[realpathSync(subject.root)];
  if (before === undefined || !isOwn(subject.root)) return { state: "untrusted", wants, changes: [] };
  const changed = Object.keys(digests).filter((file) => digests[file] !== before[file]);
  return { state: changed.length === 0 ? "trusted" : "changed", wants, changes: changed.map(shownName) };
}

/** Trusts a project as it is now. Throws ConfigError when another user owns it, or when it has too much to look at. */
export function trustProject(subject: TrustSubject): ProjectTrust {
  if (!isOwn(subject.root)) {
    const issue = `${subject.root} belongs to another user, who could change what omp runs in it`;
    throw new ConfigError({ kind: "invalid-value", operation: "trust", issue, code: "NOT_OWNED" });
  }
  const { digests, isCut } = digestsOf(subject);
  if (isCut) {
    const issue = `${join(subject.root, ".omp")} has more than ${MAX_FILES} files`;
    throw new ConfigError({ kind: "unreadable", operation: "trust", issue, code: "TOO_MANY_FILES" });
  }
  const root = realpathSync(subject.root);
  const store = readStore(subject.trustFile);
  // What was trusted from another directory of the project stays trusted.
  writeStore(subject.trustFile, { ...store, [root]: { ...store[root], ...digests } });
  return readTrust(subject);
}

/** @returns whether it was trusted before. */
export function revokeTrust({ root, trustFile }: Omit<TrustSubject, "cwd">): boolean {
  const { [realpathSync(root)]: trusted, ...others } = readStore(trustFile);
  if (trusted === undefined) return false;
  writeStore(trustFile, others);
  return true;
}

function digestsOf({ root, cwd, trustFile }: TrustSubject): ProjectDigests {
  return projectDigests(root, cwd, dirname(dirname(trustFile)));
}

/** Whether omp would run or obey the file: the rest of `.omp` is only watched for changes. */
function isWish(file: string): boolean {
  if (file === MCP_FILE || SETTINGS.test(file) || AGENT_FILE.test(file)) return true;
  return /^\.omp\/modules\/[^/]+\.py$/.test(file) || PYTHON.test(file);
}

function isActivated(file: string, { root, activated = [] }: TrustSubject): boolean {
  const [environment] = PYTHON.test(file) ? [real(join(root, dirname(dirname(file))))] : [];
  return environment !== undefined && activated.some((path) => real(path) === environment);
}

/** Undefined for what is not there. */
function real(path: string): string | undefined {
  return attempt(() => realpathSync(path));
}

/** Who is to be trusted with a `.mcp.json`: ` (MCP servers github, files)`. */
function serverNames(root: string): string {
  const { servers } = projectServers(root);
  const names = Object.keys(servers).map((name) => (SERVER_NAME.test(name) ? name : quoted(name)));
  return names.length === 0 ? "" : ` (MCP server${names.length === 1 ? "" : "s"} ${names.join(", ")})`;
}

/** Where there is no `python`, `python3` is run. */
const PYTHON = /(?:^|\/)bin\/python3?$/;

/** An environment in the project goes before what poetry and uv name, so they are not asked where there is one. */
function isAskedTool(file: string, searchPath: string | undefined): boolean {
  const tool = Object.entries(LOCKS).find(([lock]) => basename(file) === lock)?.[1];
  return tool !== undefined && searchPath !== undefined && Bun.which(tool, { PATH: searchPath }) !== null;
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
  const issue = `the list of trusted projects cannot be read: ${file}; fix or remove it`;
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
