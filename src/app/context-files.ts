/**
 * Instructions of the user and the project for every agent: AGENTS.md or CLAUDE.md and `.omp/SYSTEM.md`, from the home directory and
 * from the project's root down to the working directory. The nearest is last, where it counts most.
 */

import { dirname, join, relative } from "node:path";
import { readProjectFile } from "../config/project-file.ts";

export interface ContextFile {
  readonly path: string;
  readonly text: string;
}

/** Only the first that exists in a directory is used: in many projects one is a link to the other. */
const PROJECT_NAMES = ["AGENTS.md", "CLAUDE.md"];
const OWN_NAME = "SYSTEM.md";
const MAX_CHARS = 40_000;

export function contextFiles(options: {
  readonly cwd: string;
  readonly projectRoot: string;
  /** The user's home, and omp's own in it. */
  readonly userHome: string;
  readonly ompHome: string;
}): ContextFile[] {
  const { cwd, projectRoot, userHome, ompHome } = options;
  const agentHome = join(ompHome, "agent");
  const found = [
    firstOf([agentHome, userHome], PROJECT_NAMES, undefined),
    firstOf([ompHome, agentHome], [OWN_NAME], undefined),
    ...upwards(cwd, projectRoot)
      .reverse()
      .flatMap((directory) => [
        firstOf([directory], PROJECT_NAMES, projectRoot),
        firstOf([join(directory, ".omp")], [OWN_NAME], projectRoot),
      ]),
  ].filter((file) => file !== undefined);
  // When the working directory is the home, its files are found twice.
  return found.filter(({ path }, index) => found.findIndex((other) => other.path === path) === index);
}

/** From the directory up to and with the root. */
function upwards(from: string, root: string): string[] {
  if (from === root || relative(root, from).startsWith("..") || dirname(from) === from) return [from];
  return [from, ...upwards(dirname(from), root)];
}

/** @param root see readProjectFile. */
function firstOf(
  directories: readonly string[],
  names: readonly string[],
  root: string | undefined,
): ContextFile | undefined {
  for (const path of directories.flatMap((directory) => names.map((name) => join(directory, name)))) {
    const read = readProjectFile(path, { root, maxBytes: 4 * MAX_CHARS });
    // Missing, unreadable, or not one to obey.
    if (read === undefined || "problem" in read) continue;
    const text = new TextDecoder().decode(read.bytes).trim();
    if (text) return { path, text: text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}\n[cut]` : text };
  }
  return undefined;
}
