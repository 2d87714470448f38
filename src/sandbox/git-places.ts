/** What of a repository git must be able to write, and what of it decides what git runs. Reads files only; runs no git. */

import { lstatSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { attempt } from "../protocol/index.ts";

export interface GitPlaces {
  /** Directories outside the project that a commit needs. */
  readonly writable: readonly string[];
  /** Stays as it is. */
  readonly kept: readonly string[];
}

/** Sends git elsewhere for hooks and settings, wherever it appears. */
const COMMON = "commondir";
/** Settings of one worktree, where a repository has such. */
const OWN_SETTINGS = "config.worktree";
const HOOKS = "hooks";
const NOWHERE: GitPlaces = { writable: [], kept: [] };
/** Names in a git directory whose content git obeys: submodules and linked worktrees have hooks and settings of their own. */
const OBEYED = [HOOKS, "config", OWN_SETTINGS, "modules", "worktrees", COMMON];

export function gitPlaces(projectRoot: string): GitPlaces {
  const git = join(projectRoot, ".git");
  // Not there, or a link to itself.
  const found = attempt(() => statSync(git));
  if (found === undefined) return NOWHERE;
  // Named itself: a directory that something is mounted on cannot be renamed and replaced.
  if (found.isDirectory()) return { writable: [git], kept: obeyed(git) };
  return worktreePlaces(git) ?? { writable: [], kept: [git] };
}

/**
 * In a linked worktree `.git` is a file that names a directory of the main repository. Anybody may write such a file, so it counts only
 * when that directory names the worktree in return.
 */
function worktreePlaces(file: string): GitPlaces | undefined {
  const own = read(file)?.match(/^gitdir: (.+)$/m)?.[1];
  if (own === undefined) return undefined;
  const directory = resolve(dirname(file), own);
  const common = dirname(dirname(directory));
  if (basename(dirname(directory)) !== "worktrees" || basename(common) !== ".git") return undefined;
  const back = read(join(directory, "gitdir"));
  if (back === undefined || real(back) !== real(file)) return undefined;
  return {
    writable: [common, directory],
    kept: [file, ...obeyed(common), ...[COMMON, "gitdir", OWN_SETTINGS].map((name) => join(directory, name))],
  };
}

/** Only what is there can be kept as it is: makes the directory for hooks, which git usually makes itself. */
export function makeHooks(projectRoot: string): void {
  const [directory] = gitPlaces(projectRoot).writable;
  if (directory !== undefined) attempt(() => mkdirSync(join(directory, HOOKS)));
}

/**
 * A file that is not there cannot be kept from being made where git makes files itself. One that was made in the sandbox is removed
 * as soon as the call is over.
 */
export class GitSweep {
  readonly #unwanted: readonly string[];

  constructor(projectRoot: string) {
    const git = join(projectRoot, ".git");
    const { writable } = gitPlaces(projectRoot);
    const directories = writable.length === 0 ? [git] : writable;
    this.#unwanted = directories
      .flatMap((directory) => [COMMON, OWN_SETTINGS].map((name) => join(directory, name)))
      .filter((path) => attempt(() => lstatSync(path)) === undefined);
  }

  run(): void {
    for (const path of this.#unwanted) attempt(() => rmSync(path, { recursive: true, force: true }));
  }
}

function obeyed(directory: string): string[] {
  return OBEYED.map((name) => join(directory, name));
}

function read(file: string): string | undefined {
  // A pipe that nobody writes to would be waited for.
  return attempt(() => (statSync(file).isFile() ? readFileSync(file, "utf8").trim() : undefined));
}

function real(path: string): string | undefined {
  return attempt(() => realpathSync(path));
}
