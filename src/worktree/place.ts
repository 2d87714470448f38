/** Which files are meant: the project's, in the git repository that they are in, if any, with its rules about what is ignored. */

import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { readPlainFile } from "../process/plain-file.ts";
import { attempt } from "../protocol/index.ts";

export interface WorktreePlace {
  /** The project's root, by its real name. */
  readonly root: string;
  /** The root of the repository that the project is in: ignore rules above the project count as well. Without one, the project's. */
  readonly top: string;
  /** Ignore rules that are in no .gitignore. */
  readonly excludes: string;
  /** The repository's own index, which is only read: what it has is covered even if a rule ignores it. */
  readonly projectIndex: string | undefined;
}

/** Starts the name of every directory that files are prepared in before they are put in their place. */
export const STAGING_PREFIX = ".omp-rewind-";

/** What nobody wants to have back, where no repository says what is ignored. */
const DEFAULT_EXCLUDES = [
  ...["node_modules/", ".venv/", "venv/", "__pycache__/", "*.pyc", ".ipynb_checkpoints/", ".cache/"],
  ...[".mypy_cache/", ".pytest_cache/", ".ruff_cache/", ".tox/", ".nox/", ".gradle/", ".next/", ".pixi/"],
  ...[".hg/", ".svn/", ".DS_Store"],
];

/** A clause about why these files are not kept, instead of a place. */
export type NoPlace = { readonly off: string };

export function findPlace(options: {
  readonly root: string;
  readonly home: string;
  /** Where snapshots are kept. */
  readonly store: string;
}): WorktreePlace | NoPlace {
  const root = realPath(options.root);
  const home = realPath(options.home);
  if (!isDirectory(root)) return { off: "the project's directory does not exist" };
  if (isInside(home, root)) return { off: "the project is the home directory, or contains it" };
  if (isInside(realPath(options.store), root)) return { off: "omp's own files are in the project" };
  if (isBareRepository(root)) return { off: "the project is a bare repository" };
  const top = repositoryAbove(root, home);
  const gitDirectory = top === undefined ? undefined : gitDirectoryOf(top);
  const common = gitDirectory === undefined ? undefined : commonDirectory(gitDirectory);
  const own = common === undefined ? undefined : readPlainFile(join(common, "info", "exclude"), "latin1");
  const index = gitDirectory === undefined ? undefined : join(gitDirectory, "index");
  const rules = top === undefined ? DEFAULT_EXCLUDES : [own ?? ""];
  return {
    root,
    top: top ?? root,
    excludes: `${[...rules, `${STAGING_PREFIX}*/`].join("\n")}\n`,
    projectIndex: index !== undefined && existsSync(index) ? index : undefined,
  };
}

/** A home that is a repository, for its dotfiles, has rules that are not about projects. */
function repositoryAbove(root: string, home: string): string | undefined {
  for (let directory = root; directory !== home; directory = dirname(directory)) {
    if (existsSync(join(directory, ".git"))) return isOurs(directory) ? directory : undefined;
    if (dirname(directory) === directory) return undefined;
  }
  return undefined;
}

function isOurs(directory: string): boolean {
  return statSync(directory, { throwIfNoEntry: false })?.uid === process.getuid?.();
}

/** In a worktree or a submodule, `.git` is a file that names it. */
function gitDirectoryOf(top: string): string | undefined {
  const path = join(top, ".git");
  if (isDirectory(path)) return path;
  const [, named] = /^gitdir: ([^\n]+)/.exec(readPlainFile(path, "utf8") ?? "") ?? [];
  return named === undefined ? undefined : resolve(top, named);
}

function commonDirectory(gitDirectory: string): string {
  const named = readPlainFile(join(gitDirectory, "commondir"), "utf8")?.trim();
  return named ? resolve(gitDirectory, named) : gitDirectory;
}

function isBareRepository(root: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => existsSync(join(root, name)));
}

export function isDirectory(path: string): boolean {
  return attempt(() => statSync(path, { throwIfNoEntry: false }))?.isDirectory() === true;
}

function realPath(path: string): string {
  return attempt(() => realpathSync(path)) ?? resolve(path);
}

export function isInside(path: string, directory: string): boolean {
  const inside = relative(directory, path);
  return inside === "" || (inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside));
}
