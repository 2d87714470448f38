/**
 * The directory of full outputs: `<directory>/<id>.log`, private to the user, bounded in age and in size. Nothing is touched
 * before the first artifact is made.
 */

import { lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../protocol/error.ts";
import { type CleanUpReport, cleanUpArtifacts } from "./artifact-clean-up.ts";
import { type ArtifactWriter, FileArtifact, lostArtifact } from "./artifact-writer.ts";

export type { CleanUpReport } from "./artifact-clean-up.ts";
export type { ArtifactProblem, ArtifactWriter } from "./artifact-writer.ts";

export const ARTIFACT_SCHEME = "artifact://";

export interface ArtifactStoreOptions {
  readonly directory: string;
  readonly maxTotalBytes: number;
  readonly maxAgeMs: number;
}

export class ArtifactStore {
  readonly directory: string;
  readonly #maxTotalBytes: number;
  readonly #maxAgeMs: number;
  /** Artifacts that are being written, oldest first, and when each was started. */
  readonly #open = new Map<string, number>();
  #writtenSinceCleanUp = 0;

  constructor(options: ArtifactStoreOptions) {
    this.directory = options.directory;
    this.#maxTotalBytes = options.maxTotalBytes;
    this.#maxAgeMs = options.maxAgeMs;
  }

  /** The file is there when this returns; where it cannot be, the writer's `problem` says why and nothing is thrown. */
  create(): ArtifactWriter {
    const id = newId();
    const path = this.#pathOf(id);
    try {
      mkdirSync(this.directory, { recursive: true, mode: 0o700 });
      const artifact = new FileArtifact({
        id,
        path,
        ownerPath: join(this.directory, `${id}.pid`),
        maxBytes: this.#maxTotalBytes,
        onClose: (bytes) => this.#onClosed(id, bytes),
      });
      this.#open.set(id, Date.now());
      return artifact;
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      return lostArtifact(id, path, code);
    }
  }

  /** The path of an artifact that exists, by `artifact://<id>` or `<id>`. An id is a name and never a path. */
  find(reference: string): string | undefined {
    const id = reference.startsWith(ARTIFACT_SCHEME) ? reference.slice(ARTIFACT_SCHEME.length) : reference;
    if (!/^[a-z0-9]{1,64}$/.test(id)) return undefined;
    const path = this.#pathOf(id);
    // A link could point out of the directory.
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true ? path : undefined;
  }

  /** The id of the newest artifact that is being written and was started at that time or later. */
  newestOpen(since: number): string | undefined {
    return [...this.#open].findLast(([, startedAt]) => startedAt >= since)?.[0];
  }

  /** Removes what is too old, then the oldest until the rest is under the cap. Never one that is being written. */
  cleanUp(): CleanUpReport {
    this.#writtenSinceCleanUp = 0;
    return cleanUpArtifacts({
      directory: this.directory,
      maxTotalBytes: this.#maxTotalBytes,
      maxAgeMs: this.#maxAgeMs,
      isOpen: (id) => this.#open.has(id),
    });
  }

  #pathOf(id: string): string {
    return join(this.directory, `${id}.log`);
  }

  /** Keeps a session that runs for days under the cap, without listing the directory for each small output. */
  #onClosed(id: string, bytes: number): void {
    this.#open.delete(id);
    this.#writtenSinceCleanUp += bytes;
    if (this.#writtenSinceCleanUp > this.#maxTotalBytes / 8) this.cleanUp();
  }
}

/** Milliseconds first, so that names sort by age; the rest is random. */
function newId(): string {
  const time = Date.now().toString(36).padStart(8, "0");
  return time + (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0).toString(36).padStart(6, "0").slice(-6);
}
