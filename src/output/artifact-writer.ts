/**
 * One artifact while it is written: every byte goes to the file at once, so that a crash loses nothing and it can be read meanwhile.
 * A disk that cannot take it never fails the run: the writer remembers what went wrong and stops.
 */

import { closeSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { attempt, systemCode } from "../protocol/error.ts";

export type ArtifactProblem =
  /** The file holds only the first bytes: more would pass the store's size cap. */
  | { readonly kind: "full"; readonly bytes: number }
  /** There is no file. */
  | { readonly kind: "given-up"; readonly code: string };

export interface ArtifactWriterOptions {
  readonly directory: string;
  readonly id: string;
  readonly maxBytes: number;
  readonly onClose: (bytesWritten: number) => void;
}

export class ArtifactWriter {
  readonly id: string;
  readonly path: string;
  /** Says, while it exists, which process writes the artifact. */
  readonly #ownerPath: string;
  readonly #options: ArtifactWriterOptions;
  #file: number | undefined;
  #written = 0;
  #problem: ArtifactProblem | undefined;

  /** Makes the file. */
  constructor(options: ArtifactWriterOptions) {
    this.#options = options;
    this.id = options.id;
    this.path = join(options.directory, `${options.id}.log`);
    this.#ownerPath = join(options.directory, `${options.id}.pid`);
    try {
      mkdirSync(options.directory, { recursive: true, mode: 0o700 });
      // The owner first: a clean-up in another process must never see the file without it.
      writeFileSync(this.#ownerPath, String(process.pid), { flag: "wx", mode: 0o600 });
      this.#file = this.#openFile();
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      this.#problem = { kind: "given-up", code };
    }
  }

  #openFile(): number {
    try {
      return openSync(this.path, "wx", 0o600);
    } catch (error) {
      rmSync(this.#ownerPath, { force: true });
      throw error;
    }
  }

  /** Set once something went wrong; `write` then does nothing. */
  get problem(): ArtifactProblem | undefined {
    return this.#problem;
  }

  write(bytes: Uint8Array): void {
    if (this.#file === undefined || this.#problem !== undefined) return;
    const room = this.#options.maxBytes - this.#written;
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
    removeIfPossible(this.#ownerPath);
    this.#options.onClose(this.#written);
  }

  /** A part of the output that looks like all of it is misleading, and the disk needs the space. */
  #giveUp(code: string): void {
    this.#problem = { kind: "given-up", code };
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) attempt(() => closeSync(file));
    removeIfPossible(this.path);
    removeIfPossible(this.#ownerPath);
    this.#options.onClose(0);
  }
}

/** The next clean-up takes what cannot be removed now. */
function removeIfPossible(path: string): void {
  attempt(() => rmSync(path, { force: true }));
}
