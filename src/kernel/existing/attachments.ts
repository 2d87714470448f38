/**
 * Who works in which kernel of somebody else, for `omp kernel list`: a record in the private directory of each omp, beside those of its own
 * kernels and of another name, so that nobody takes such a kernel for one that omp may end.
 */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../../process/identity.ts";
import { sharedWatchdog } from "../../process/watchdog.ts";
import { OmpError, systemCode } from "../../protocol/index.ts";
import { ownDirectories } from "../local/running-kernels.ts";
import { RuntimeDirectory } from "../local/runtime-directory.ts";
import { namesIn } from "../names-in.ts";

const FILE = "attached.json";

export interface Attachment {
  /** The omp that works in it. */
  readonly owner: number;
  /** The kernel's connection file. */
  readonly file: string;
  /** ISO 8601: when omp was connected. */
  readonly since: string;
}

/** Those of one omp. */
export class Attachments {
  readonly #bases: readonly string[];
  #directory: RuntimeDirectory | undefined;
  #release: () => void = () => undefined;

  constructor(bases: readonly string[]) {
    this.#bases = bases;
  }

  /** @returns what takes it from the list again. A kernel that is on no list still works. */
  add(file: string): () => void {
    const record: Attachment = { owner: process.pid, file, since: new Date().toISOString() };
    try {
      const directory = this.#runtime().kernelDirectory();
      writeFileSync(join(directory, FILE), JSON.stringify(record), { mode: 0o600 });
      return () => rmSync(directory, { recursive: true, force: true });
    } catch (error) {
      if (!(error instanceof OmpError) && systemCode(error) === undefined) throw error;
      return () => undefined;
    }
  }

  close(): void {
    this.#directory?.remove();
    this.#directory = undefined;
    this.#release();
  }

  #runtime(): RuntimeDirectory {
    if (!this.#directory) {
      this.#directory = new RuntimeDirectory(this.#bases);
      this.#release = sharedWatchdog().guardDirectory(this.#directory.path);
    }
    return this.#directory;
  }
}

/** Of every omp of this user. @param bases where omps make their directories. */
export function attachments(bases: readonly string[]): readonly Attachment[] {
  const found = [...new Set(bases)].flatMap(ownDirectories).flatMap(recordsIn);
  return found.sort((a, b) => (a.since < b.since ? -1 : 1));
}

function recordsIn(directory: string): Attachment[] {
  return namesIn(directory).flatMap((name) => {
    const record = readRecord(join(directory, name, FILE));
    return record !== undefined && isAlive(record.owner) ? [record] : [];
  });
}

function readRecord(file: string): Attachment | undefined {
  try {
    const record: Partial<Attachment> = JSON.parse(readFileSync(file, "utf8"));
    const { owner, since } = record;
    const isWhole =
      Number.isSafeInteger(owner) && [record.file, since].every((text) => typeof text === "string");
    return isWhole ? (record as Attachment) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}
