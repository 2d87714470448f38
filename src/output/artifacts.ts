/**
 * The directory of full outputs: `<directory>/<id>.log`, private to the user, bounded in age and in size. Nothing is touched
 * before the first artifact is made.
 */

import { lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type CleanUpOptions, type CleanUpReport, cleanUpArtifacts } from "./artifact-clean-up.ts";
import { ArtifactWriter } from "./artifact-writer.ts";

export type { CleanUpReport } from "./artifact-clean-up.ts";
export type { ArtifactProblem } from "./artifact-writer.ts";

export const ARTIFACT_SCHEME = "artifact://";

export type ArtifactStoreOptions = Omit<CleanUpOptions, "isOpen">;

export class ArtifactStore {
  readonly directory: string;
  readonly #options: ArtifactStoreOptions;
  /** Artifacts that are being written, oldest first, and when each was started. */
  readonly #open = new Map<string, number>();
  #writtenSinceCleanUp = 0;

  constructor(options: ArtifactStoreOptions) {
    this.directory = options.directory;
    this.#options = options;
  }

  /** The file is there when this returns; where it cannot be, the writer's `problem` says why and nothing is thrown. */
  create(): ArtifactWriter {
    const id = newId();
    const { directory, maxTotalBytes: maxBytes } = this.#options;
    const onClose = (bytes: number) => this.#onClosed(id, bytes);
    const artifact = new ArtifactWriter({ directory, id, maxBytes, onClose });
    if (artifact.problem === undefined) this.#open.set(id, Date.now());
    return artifact;
  }

  /** The path of an artifact that exists, by `artifact://<id>` or `<id>`. An id is a name and never a path. */
  find(reference: string): string | undefined {
    const id = reference.startsWith(ARTIFACT_SCHEME) ? reference.slice(ARTIFACT_SCHEME.length) : reference;
    if (!/^[a-z0-9]{1,64}$/.test(id)) return undefined;
    const path = join(this.directory, `${id}.log`);
    // A link could point out of the directory.
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true ? path : undefined;
  }

  /** False when there is none of that id. */
  remove(id: string): boolean {
    const path = this.find(id);
    if (path !== undefined) rmSync(path, { force: true });
    return path !== undefined;
  }

  /** The id of the newest artifact that is being written and was started at that time or later. */
  newestOpen(since: number): string | undefined {
    return [...this.#open].findLast(([, startedAt]) => startedAt >= since)?.[0];
  }

  /** Removes what is too old, then the oldest until the rest is under the cap. Never one that is being written. */
  cleanUp(): CleanUpReport {
    this.#writtenSinceCleanUp = 0;
    return cleanUpArtifacts({ ...this.#options, isOpen: (id) => this.#open.has(id) });
  }

  /** Keeps a session that runs for days under the cap, without listing the directory for each small output. */
  #onClosed(id: string, bytes: number): void {
    this.#open.delete(id);
    this.#writtenSinceCleanUp += bytes;
    if (this.#writtenSinceCleanUp > this.#options.maxTotalBytes / 8) this.cleanUp();
  }
}

/** Milliseconds first, so that names sort by age; the rest is random. */
function newId(): string {
  const time = Date.now().toString(36).padStart(8, "0");
  return time + (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0).toString(36).padStart(6, "0").slice(-6);
}
