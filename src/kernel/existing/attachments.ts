/**
 * Which omp works in which existing kernel, for `omp kernel list`: a record in the private directory of each omp, beside those of its own
 * kernels and of another name, so that such a kernel is never taken for one that omp may end.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { once } from "../../async/once.ts";
import { isAlive } from "../../process/identity.ts";
import { OmpError, systemCode } from "../../protocol/index.ts";
import { namesIn, readJsonFile } from "../files.ts";
import { ownDirectories } from "../local/running-kernels.ts";
import { RuntimeDirectory } from "../local/runtime-directory.ts";

const FILE = "attached.json";

export interface Attachment {
  /** The omp that works in it. */
  readonly owner: number;
  /** The kernel's connection file. */
  readonly file: string;
  /** ISO 8601: when omp was connected. */
  readonly since: string;
}

/** The records of this omp. */
export class Attachments {
  readonly #directory;

  constructor(bases: readonly string[]) {
    this.#directory = once(() => new RuntimeDirectory(bases));
  }

  /** @returns what removes the record. A kernel that is not listed still works. */
  add(file: string): () => void {
    const record: Attachment = { owner: process.pid, file, since: new Date().toISOString() };
    try {
      const { directory, remove } = this.#directory.get().kernelDirectory("own");
      writeFileSync(join(directory, FILE), JSON.stringify(record), { mode: 0o600 });
      return remove;
    } catch (error) {
      if (!(error instanceof OmpError) && systemCode(error) === undefined) throw error;
      return () => undefined;
    }
  }

  close(): void {
    this.#directory.made?.remove();
  }
}

/** The records of every omp of this user. @param bases where omps make their directories. */
export function attachments(bases: readonly string[]): readonly Attachment[] {
  const found = [...new Set(bases)].flatMap(ownDirectories).flatMap(recordsIn);
  return found.sort((a, b) => (a.since < b.since ? -1 : 1));
}

function recordsIn(directory: string): Attachment[] {
  return namesIn(directory).flatMap((name) => {
    const { owner, file, since } = readJsonFile(join(directory, name, FILE)) ?? {};
    if (typeof owner !== "number" || typeof file !== "string" || typeof since !== "string") return [];
    return isAlive(owner) ? [{ owner, file, since }] : [];
  });
}
