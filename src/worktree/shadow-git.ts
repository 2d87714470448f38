/**
 * Git on the project's files with a repository of our own outside the project. It obeys nothing that belongs to the project and nothing
 * of the user's configuration: no hooks, filters, monitors, attributes or signatures. Only ignore rules count.
 */

import { existsSync, rmSync, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { onAbort } from "../async/abort.ts";
import { attempt } from "../protocol/index.ts";
import { WorktreeError } from "./errors.ts";
import { isInside } from "./place.ts";

export interface ShadowGitOptions {
  /** Git itself, as an absolute path. */
  readonly program: string;
  /** The repository. */
  readonly directory: string;
  readonly workTree: string;
  /** The user's own list of what git ignores everywhere. */
  readonly excludesFile: string;
}

export interface GitRun {
  readonly index?: string;
  readonly input?: Uint8Array;
  readonly signal?: AbortSignal | undefined;
  /** Exit codes that are an answer, in addition to 0. */
  readonly answers?: readonly number[];
}

export interface GitOutput {
  readonly exitCode: number;
  readonly stdout: Buffer;
  /** In latin1: names of files may be any bytes. */
  readonly stderr: string;
}

/** Written when the repository is made. What it says holds for every command. */
export const SHADOW_CONFIG = `[core]
	repositoryformatversion = 0
	sharedRepository = 0600
	bare = false
	fileMode = true
	symlinks = true
	ignoreCase = false
	hooksPath = /dev/null
	fsmonitor = false
	attributesFile = /dev/null
	autocrlf = false
	safecrlf = false
	protectNTFS = false
	protectHFS = false
	quotePath = false
	fsync = none
	compression = 1
	looseCompression = 1
[gc]
	auto = 0
[maintenance]
	auto = false
[pack]
	threads = 1
`;

/** Comes before every .gitattributes: bytes are kept as they are, and no program is asked about them. */
export const SHADOW_ATTRIBUTES = "* -text -eol -ident -filter -working-tree-encoding\n";

export class ShadowGit {
  readonly workTree: string;
  readonly #options: ShadowGitOptions;

  constructor(options: ShadowGitOptions) {
    this.#options = options;
    this.workTree = options.workTree;
  }

  /** Throws WorktreeError, also when the signal ends it. */
  async run(args: readonly string[], run: GitRun = {}): Promise<GitOutput> {
    const { program, directory, workTree, excludesFile } = this.#options;
    const { index, input, signal, answers = [] } = run;
    if (signal?.aborted) throw endedError(args);
    const child = Bun.spawn([program, "-c", `core.excludesFile=${excludesFile}`, ...args], {
      cwd: workTree,
      env: {
        PATH: "/usr/bin:/bin",
        // Where older versions look for the user's configuration.
        HOME: directory,
        XDG_CONFIG_HOME: directory,
        LC_ALL: "C",
        GIT_DIR: directory,
        GIT_WORK_TREE: workTree,
        GIT_INDEX_FILE: index ?? join(directory, "index"),
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_SYSTEM: "/dev/null",
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_ATTR_NOSYSTEM: "1",
        // The one command that takes paths of the project as arguments; another refuses it.
        ...(args[0] === "ls-files" ? { GIT_LITERAL_PATHSPECS: "1" } : {}),
        GIT_OPTIONAL_LOCKS: "0",
        GIT_TERMINAL_PROMPT: "0",
        GIT_NO_REPLACE_OBJECTS: "1",
        GIT_NO_LAZY_FETCH: "1",
      },
      stdio: [input ?? "ignore", "pipe", "pipe"],
    });
    const stopListening = onAbort(signal, () => child.kill("SIGKILL"));
    try {
      const [stdout, stderr, exitCode] = await Promise.all([
        child.stdout.bytes(),
        child.stderr.bytes(),
        child.exited,
      ]);
      if (signal?.aborted) {
        // A git that was killed leaves its lock, and nobody else uses this index.
        if (index !== undefined) rmSync(`${index}.lock`, { force: true });
        throw endedError(args);
      }
      const output = {
        exitCode,
        stdout: Buffer.from(stdout),
        stderr: Buffer.from(stderr).toString("latin1"),
      };
      if (exitCode === 0 || answers.includes(exitCode)) return output;
      throw failedError(args, output);
    } finally {
      stopListening();
    }
  }
}

function endedError([command = ""]: readonly string[]): WorktreeError {
  return new WorktreeError({ kind: "slow", issue: `git ${command} was ended`, code: "SLOW" });
}

function failedError([command = ""]: readonly string[], { exitCode, stderr }: GitOutput): WorktreeError {
  const lines = stderr.split("\n").filter((line) => line !== "");
  const isFull = /No space left on device|Disk quota exceeded/.test(stderr);
  const issue = `git ${command} failed: ${lines.at(-1) ?? `exit code ${exitCode}`}`;
  return new WorktreeError({ kind: "failed", issue, code: isFull ? "ENOSPC" : "GIT" });
}

/** The first git on PATH that is not part of the project, which could be anything. */
export function findGit(searchPath: string | undefined, projectRoot: string): string | undefined {
  return (searchPath ?? "")
    .split(delimiter)
    .filter((entry) => isAbsolute(entry) && !isInside(entry, projectRoot))
    .map((entry) => join(entry, "git"))
    .find((path) => existsSync(path) && isProgram(path));
}

function isProgram(path: string): boolean {
  const found = attempt(() => statSync(path));
  return found?.isFile() === true && (found.mode & 0o111) !== 0;
}
