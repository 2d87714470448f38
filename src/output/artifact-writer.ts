/**
 * One artifact while it is written: every byte goes to the file at once, so that a crash loses nothing and it can be read meanwhile.
 * A disk that cannot take it never fails the run: the writer remembers what went wrong and stops.
 */

import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { systemCode } from "../protocol/error.ts";

export type ArtifactProblem =
  /** The file holds only the first bytes: more would pass the store's size cap. */
  | { readonly kind: "full"; readonly bytes: number }
  /** There is no file. */
  | { readonly kind: "given-up"; readonly code: string };

export interface ArtifactWriter {
  readonly id: string;
  readonly path: string;
  /** Set once something went wrong; `write` then does nothing. */
  readonly problem: ArtifactProblem | undefined;
  write(bytes: Uint8Array): void;
  close(): void;
}

export interface FileArtifactOptions {
  readonly id: string;
  readonly path: string;
  /** Says, while it exists, which process writes the artifact. */
  readonly ownerPath: string;
  readonly maxBytes: number;
  readonly onClose: (bytesWritten: number) => void;
}

export class FileArtifact implements ArtifactWriter {
  readonly id: string;
  readonly path: string;
  readonly #ownerPath: string;
  readonly #maxBytes: number;
  readonly #onClose: (bytesWritten: number) => void;
  #file: number | undefined;
  #written = 0;
  #problem: ArtifactProblem | undefined;

  /** Throws what the system throws when the file cannot be made. */
  constructor(options: FileArtifactOptions) {
    this.id = options.id;
    this.path = options.path;
    this.#ownerPath = options.ownerPath;
    this.#maxBytes = options.maxBytes;
    this.#onClose = options.onClose;
    // The owner first: a clean-up in another process must never see the file without it.
    writeOwner(options.ownerPath);
    try {
      this.#file = openSync(options.path, "wx", 0o600);
    } catch (error) {
      rmSync(options.ownerPath, { force: true });
      throw error;
    }
  }

  get problem(): ArtifactProblem | undefined {
    return this.#problem;
  }

  write(bytes: Uint8Array): void {
    if (this.#file === undefined || this.#problem !== undefined) return;
    const room = this.#maxBytes - this.#written;
    const fits = bytes.length <= room ? bytes : bytes.subarray(0, room);
    try {
      for (let at = 0; at < fits.length; ) at += writeSync(this.#file, fits, at, fits.length - at);
      this.#written += fits.length;
    } catch (error) {
      this.#giveUp(systemCode(error) ?? "EIO");
      return;
    }
    if (fits.length < bytes.length) this.#problem = { kind: "full", bytes: this.#written };
  }

  close(): void {
    if (this.#file === undefined) return;
    const file = this.#file;
    this.#file = undefined;
    try {
      // Some file systems report a full disk only here.
      closeSync(file);
    } catch (error) {
      this.#giveUp(systemCode(error) ?? "EIO");
      return;
    }
    this.#remove(this.#ownerPath);
    this.#onClose(this.#written);
  }

  /** A part of the output that looks like all of it is misleading, and the disk needs the space. */
  #giveUp(code: string): void {
    this.#problem = { kind: "given-up", code };
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) closeQuietly(file);
    this.#remove(this.path);
    this.#remove(this.#ownerPath);
    this.#onClose(0);
  }

  #remove(path: string): void {
    try {
      rmSync(path, { force: true });
    } catch (error) {
      // The next clean-up takes what cannot be removed now.
      if (systemCode(error) === undefined) throw error;
    }
  }
}

/** Takes the place of an artifact that could not be made, so that writers need no special case. */
export function lostArtifact(id: string, path: string, code: string): ArtifactWriter {
  return {
    id,
    path,
    problem: { kind: "given-up", code },
    write: (_bytes) => undefined,
    close: () => undefined,
  };
}

function writeOwner(path: string): void {
  const file = openSync(path, "wx", 0o600);
  try {
    writeSync(file, String(process.pid));
  } finally {
    closeSync(file);
  }
}

function closeQuietly(file: number): void {
  try {
    closeSync(file);
  } catch (error) {
    // The write has already failed, and that is what is reported.
    if (systemCode(error) === undefined) throw error;
  }
}
