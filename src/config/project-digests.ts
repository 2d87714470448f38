/** What a project has that omp could run or obey, and what each file is known by, so that a change is noticed. */

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
import { dirname, join, relative, resolve } from "node:path";
import { attempt, systemCode } from "../protocol/error.ts";
import { projectFileInUse, uncheckedSettings } from "./earlier.ts";
import { projectPathsIn } from "./paths.ts";
import { isInside } from "./project-file.ts";
import { settingAt } from "./stricter.ts";

/** A project's files, relative to its root, each with what it is known by. */
export type Digests = Readonly<Record<string, string>>;

export interface ProjectDigests {
  readonly digests: Digests;
  /** Of these files, those that the project's settings name as its Python. */
  readonly named: readonly string[];
  /** There is more in `.omp` than anybody would review: it was not looked at. */
  readonly isCut: boolean;
}

const ENVIRONMENTS = [".venv", "venv", ".pixi/envs/default"];
/** What makes a directory's Python the one that it is. */
const ENVIRONMENT_FILES = ["bin/python", "bin/python3", "pyvenv.cfg"];
/** Where one of these is, its tool is asked for the environment, and reads what the project says. */
export const LOCKS = { "poetry.lock": "poetry", "uv.lock": "uv" };
/** They are read at each start. */
export const MAX_FILES = 1_000;
const MAX_HASHED_BYTES = 32_000_000;

/** The project's MCP servers. */
export const MCP_FILE = ".mcp.json";

export const SETTINGS = /^\.omp\/(?:omp\.jsonc|settings\.json)$/;

/** @param ompHome omp's own directory, which is no project's. */
export function projectDigests(root: string, cwd: string, ompHome: string): ProjectDigests {
  const directories = directoriesUpTo(cwd, root);
  const environments = directories.flatMap((directory) =>
    ENVIRONMENTS.flatMap((name) => ENVIRONMENT_FILES.map((file) => join(directory, name, file))),
  );
  const ofProject = join(root, ".omp");
  // Started in the user's home: that `.omp` is omp's own, with the managed environment's thousands of files.
  const isOmpHome = attempt(() => realpathSync(ofProject)) === attempt(() => realpathSync(ompHome));
  const own = isOmpHome ? [] : filesBelow(ofProject, root);
  const cut = (directory: string) => ({ digests: { [directory]: "too many files" }, named: [], isCut: true });
  if (own.length > MAX_FILES) return cut(".omp");
  const claudeAgents = isOmpHome ? [] : filesBelow(join(root, ".claude", "agents"), root);
  if (claudeAgents.length > MAX_FILES) return cut(".claude/agents");
  const { file: inUse } = projectFileInUse(projectPathsIn(root));
  const named = isOmpHome ? [] : namedPython(inUse, root);
  const files = [
    // A settings file that is not in use is oh-my-pi's: omp does not obey it, and it may change.
    ...own.filter((file) => file === inUse || !SETTINGS.test(relative(root, file))),
    ...claudeAgents,
    join(root, MCP_FILE),
    ...environments,
    ...named,
  ];
  const locks = directories.flatMap((directory) => Object.keys(LOCKS).map((lock) => join(directory, lock)));
  const entries = [
    ...files.map((file) => [relative(root, file), digestOf(file, root)] as const),
    // Changes with every dependency, and says nothing about where the environment is.
    ...locks.map((file) => [relative(root, file), existsSync(file) ? "there" : undefined] as const),
  ];
  return {
    digests: Object.fromEntries(entries.filter(([, digest]) => digest !== undefined)) as Digests,
    named: named.map((file) => relative(root, file)),
    isCut: false,
  };
}

/** The files that make `python.interpreter` of a project's settings the Python that it is, where it belongs to the project. */
function namedPython(settingsFile: string, root: string): string[] {
  const setting = settingAt(uncheckedSettings(settingsFile, root), "python.interpreter");
  // A bare word is a program on PATH, which is never the project's.
  if (typeof setting !== "string" || !/^\s*\.|\//.test(setting)) return [];
  const path = resolve(root, setting.trim());
  const isDirectory = attempt(() => statSync(path).isDirectory()) ?? false;
  const files = isDirectory
    ? ENVIRONMENT_FILES.map((file) => join(path, file))
    : [path, join(dirname(dirname(path)), "pyvenv.cfg")];
  return files.filter((file) => isInside(file, root) || isInside(file, realpathSync(root)));
}

function directoriesUpTo(from: string, root: string): string[] {
  if (from === root || !isInside(from, root)) return [from];
  return [from, ...directoriesUpTo(dirname(from), root)];
}

/**
 * By hand: Bun's recursive listing follows links, and a link to `/` has everything below it. A link that leads out of the project
 * counts as a file, since nothing behind it is used.
 * @returns at most one file more than the limit.
 */
function filesBelow(top: string, root: string): string[] {
  const realRoot = realpathSync(root);
  const files: string[] = [];
  const seen = new Set<string>();
  const visit = (path: string) => {
    if (files.length > MAX_FILES) return;
    const real = attempt(() => realpathSync(path));
    const isDirectory = real !== undefined && (attempt(() => statSync(real).isDirectory()) ?? false);
    if (!isDirectory || !isInside(real, realRoot)) {
      files.push(path);
      return;
    }
    // A link to a directory above.
    if (seen.has(real)) return;
    seen.add(real);
    // One that cannot be read has nothing that could be used.
    for (const name of (attempt(() => readdirSync(real)) ?? []).sort()) visit(join(path, name));
  };
  if (existsSync(top)) visit(top);
  return files;
}

/** Undefined when there is no such file. A link is known by where it leads and, inside the project, by what is there. */
function digestOf(path: string, root: string): string | undefined {
  try {
    const link = lstatSync(path).isSymbolicLink() ? `link to ${readlinkSync(path)}` : "";
    const real = realpathSync(path);
    if (link !== "" && !isInside(real, realpathSync(root))) return link;
    const stat = statSync(real);
    if (!stat.isFile()) return `${link} not a file`;
    if (stat.size > MAX_HASHED_BYTES) return `${link} ${stat.size} bytes of ${stat.mtimeMs}`.trim();
    return `${link} ${createHash("sha256").update(readFileSync(real)).digest("hex")}`.trim();
  } catch (error) {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined;
    // Not readable now does not mean not readable later.
    if (systemCode(error) !== undefined) return "unreadable";
    throw error;
  }
}
