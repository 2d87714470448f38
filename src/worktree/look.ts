/** What has changed in the work tree since git's index was written, and what of it a snapshot cannot hold. */

import { accessSync, constants, lstatSync } from "node:fs";
import { systemCode } from "../protocol/index.ts";
import type { ShadowGit } from "./shadow-git.ts";
import type { NotCovered } from "./snapshot-store.ts";

export interface Look {
  /** To be read again. */
  readonly add: readonly string[];
  /** No longer there, or no longer covered. */
  readonly remove: readonly string[];
  readonly notCovered: readonly NotCovered[];
  /** Permissions of what is to be read again. */
  readonly modes: ReadonlyMap<string, number>;
  readonly bytes: number;
}

export interface LookOptions {
  readonly index: string;
  /** Below the top; empty for all of it. */
  readonly prefix: string;
  readonly maxFileBytes: number;
  readonly signal: AbortSignal;
}

/** Paths are in latin1, relative to the top. */
export async function lookAround(git: ShadowGit, options: LookOptions): Promise<Look> {
  const { index, prefix, signal } = options;
  const flags = ["-z", "-t", "--others", "--modified", "--deleted", "--exclude-standard"];
  const within = prefix === "" ? [] : ["--", prefix];
  const { stdout, stderr } = await git.run(["ls-files", ...flags, ...within], { index, signal });
  const look = new Looking(git.workTree, options.maxFileBytes);
  // A file that is gone is named twice.
  const named = new Set(stdout.toString("latin1").split("\0"));
  for (const line of named) if (line !== "") look.at(line.slice(2), { isTracked: !line.startsWith("?") });
  for (const [, path = ""] of stderr.matchAll(/^warning: could not open directory '(.*)\/': /gm))
    look.leaveOut(`${path}/`, "unreadable");
  return look;
}

/** Never part of a tree, however it is written. */
const DOT_GIT = /(?:^|\/)\.git(?:\/|$)/i;

class Looking implements Look {
  readonly add: string[] = [];
  readonly remove: string[] = [];
  readonly notCovered: NotCovered[] = [];
  readonly modes = new Map<string, number>();
  bytes = 0;
  readonly #seen = new Set<string>();
  /** Whether a directory is a link, or in one. */
  readonly #links = new Map<string, boolean>();
  readonly #top: Buffer;
  readonly #maxFileBytes: number;

  constructor(top: string, maxFileBytes: number) {
    this.#top = Buffer.from(`${top}/`);
    this.#maxFileBytes = maxFileBytes;
  }

  at(path: string, { isTracked }: { readonly isTracked: boolean }): void {
    if (this.#seen.has(path)) return;
    this.#seen.add(path);
    const why = this.#reasonAgainst(path);
    if (why === undefined) this.add.push(path);
    else if (isTracked) this.remove.push(path);
    if (why !== undefined && why !== "missing") this.leaveOut(path, why);
  }

  leaveOut(path: string, why: NotCovered["why"]): void {
    this.notCovered.push({ path, why });
  }

  #reasonAgainst(path: string): NotCovered["why"] | "missing" | undefined {
    // Git names a repository in the project as a directory.
    if (path.endsWith("/")) return "repository";
    if (DOT_GIT.test(path)) return "refused";
    const absolute = this.#absolute(path);
    try {
      if (this.#isBehindLink(path)) return "missing";
      const { size, mode } = lstatSync(absolute);
      const kind = mode & constants.S_IFMT;
      if (kind === constants.S_IFLNK) return undefined;
      // A directory's own files are named themselves; a pipe has nothing to keep.
      if (kind !== constants.S_IFREG) return "missing";
      if (size > this.#maxFileBytes) return "large";
      accessSync(absolute, constants.R_OK);
      this.modes.set(path, mode & 0o777);
      this.bytes += size;
      return undefined;
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      return code === "ENOENT" || code === "ENOTDIR" ? "missing" : "unreadable";
    }
  }

  /** A directory that is a link now: what is seen through it is not the project's. */
  #isBehindLink(path: string): boolean {
    const end = path.lastIndexOf("/");
    if (end < 0) return false;
    const directory = path.slice(0, end);
    const known = this.#links.get(directory);
    if (known !== undefined) return known;
    const isLink = this.#isBehindLink(directory) || lstatSync(this.#absolute(directory)).isSymbolicLink();
    this.#links.set(directory, isLink);
    return isLink;
  }

  #absolute(path: string): Buffer {
    return Buffer.concat([this.#top, Buffer.from(path, "latin1")]);
  }
}
