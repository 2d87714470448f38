/** Puts files that were prepared in their place, and removes others. Never through a link, and never what it cannot bring back. */

import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { attempt, systemCode } from "../protocol/index.ts";
import type { RawChange } from "./changes.ts";

export interface PutFilesOptions {
  /** What paths are relative to. */
  readonly top: string;
  /** Nothing outside it is touched. */
  readonly root: string;
  /** Has each file by the same path. */
  readonly staging: string;
  /** Permissions of files that are more private than new ones. */
  readonly modes: Readonly<Record<string, number>>;
  /** Directories that stay although nothing is in them. */
  readonly empty: readonly string[];
}

export class PutFiles {
  written = 0;
  removed = 0;
  readonly failed: { readonly path: string; readonly why: string }[] = [];
  readonly #top: string;
  readonly #root: string;
  readonly #staging: string;
  readonly #modes: PutFilesOptions["modes"];
  readonly #empty: ReadonlySet<string>;

  constructor({ top, root, staging, modes, empty }: PutFilesOptions) {
    this.#top = latin1(top);
    this.#root = latin1(root);
    this.#staging = latin1(staging);
    this.#modes = modes;
    this.#empty = new Set(empty);
  }

  remove(path: string): void {
    this.#try(path, () => {
      if (!this.#reach(path, { makes: false })) return;
      const target = bytes(`${this.#top}/${path}`);
      if (lstatSync(target, { throwIfNoEntry: false }) === undefined) return;
      unlinkSync(target);
      this.removed += 1;
      this.#removeEmpty(path);
    });
  }

  write({ path, mode }: RawChange): void {
    this.#try(path, () => {
      this.#reach(path, { makes: true });
      const target = bytes(`${this.#top}/${path}`);
      const staged = bytes(`${this.#staging}/${path}`);
      const before = lstatSync(target, { throwIfNoEntry: false });
      // What git removes of it is gone by now; a directory that has something else in it stays.
      if (before?.isDirectory() === true) rmdirSync(target);
      if (mode !== SYMLINK) chmodSync(staged, this.#modeFor(path, mode, staged, before));
      move(staged, target);
      this.written += 1;
    });
  }

  makeDirectory(path: string): void {
    this.#try(path, () => {
      if (this.#reach(`${path}/`, { makes: false })) return;
      this.#reach(`${path}/`, { makes: true });
      this.written += 1;
    });
  }

  /** Only as long as it is empty. */
  removeDirectory(path: string): void {
    this.#try(path, () => {
      if (!this.#reach(`${path}/`, { makes: false })) return;
      this.#removeEmpty(`${path}/`);
      if (!existsSync(bytes(`${this.#top}/${path}`))) this.removed += 1;
    });
  }

  /** As the file that is there has it, except for what git knows: whether it can be executed. */
  #modeFor(
    path: string,
    mode: string,
    staged: Buffer,
    before: { readonly mode: number } | undefined,
  ): number {
    const made = lstatSync(staged).mode & PERMISSIONS;
    const isFile = before !== undefined && (before.mode & constants.S_IFMT) === constants.S_IFREG;
    if (!isFile) return this.#modes[path] ?? made;
    const executable = 0o111 & made;
    const present = before.mode & PERMISSIONS;
    return mode === EXECUTABLE ? present | executable : present & ~0o111;
  }

  /** Every directory on the way must be one: a link could lead anywhere. @returns whether they are all there. */
  #reach(path: string, { makes }: { readonly makes: boolean }): boolean {
    const parts = path.split("/").slice(0, -1);
    let directory = this.#top;
    for (const part of parts) {
      directory = `${directory}/${part}`;
      // Above the project nothing is made, and links are the user's own.
      if (!directory.startsWith(`${this.#root}/`)) continue;
      const found = lstatSync(bytes(directory), { throwIfNoEntry: false });
      if (found?.isDirectory() === true) continue;
      if (found !== undefined) throw new InTheWay(directory.slice(this.#root.length + 1));
      if (!makes) return false;
      mkdirSync(bytes(directory));
    }
    return true;
  }

  /** Directories that are empty now, up to the project: git knows only files. */
  #removeEmpty(path: string): void {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const directory = `${this.#top}/${path.slice(0, at)}`;
      if (!directory.startsWith(`${this.#root}/`) || this.#empty.has(path.slice(0, at))) return;
      attempt(() => rmdirSync(bytes(directory)));
      if (existsSync(bytes(directory))) return;
    }
  }

  #try(path: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined && !(error instanceof InTheWay)) throw error;
      const why =
        error instanceof InTheWay ? `${error.message} is in the way` : `the system refused (${code})`;
      this.failed.push({ path, why });
    }
  }
}

class InTheWay extends Error {}

const SYMLINK = "120000";
const EXECUTABLE = "100755";
const PERMISSIONS = 0o7777;

/** Across file systems, by a copy beside the target. */
function move(from: Buffer, to: Buffer): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (systemCode(error) !== "EXDEV") throw error;
    const aside = Buffer.concat([to, Buffer.from(".omp-rewind")]);
    const stats = lstatSync(from);
    try {
      if (stats.isSymbolicLink()) symlinkSync(readlinkSync(from, "buffer"), aside);
      else {
        copyFileSync(from, aside, constants.COPYFILE_EXCL);
        chmodSync(aside, stats.mode & PERMISSIONS);
      }
      renameSync(aside, to);
    } catch (failure) {
      // Half of a file, where that file system is full.
      if (systemCode(failure) !== "EEXIST") attempt(() => unlinkSync(aside));
      throw failure;
    }
  }
}

function latin1(path: string): string {
  return Buffer.from(path).toString("latin1");
}

function bytes(path: string): Buffer {
  return Buffer.from(path, "latin1");
}
