/** A session's log, open for appending. Each line is written at once and as a whole: a crash loses at most the line it cuts. */

import { closeSync, ftruncateSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { type AgentEvent, systemCode } from "../protocol/index.ts";
import { isLogged, type SessionHeader } from "./entry.ts";
import { SessionError } from "./errors.ts";
import { lockSession } from "./lock.ts";
import { readSession } from "./read.ts";

export class SessionLog {
  readonly id: string;
  readonly path: string;
  readonly #release: () => void;
  #file: number | undefined;

  private constructor(id: string, path: string, file: number, release: () => void) {
    this.id = id;
    this.path = path;
    this.#file = file;
    this.#release = release;
  }

  static create(path: string, header: SessionHeader): SessionLog {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const release = lockSession(header.id, path);
    const log = new SessionLog(header.id, path, openSync(path, "wx", 0o600), release);
    log.#write(header);
    return log;
  }

  /** Goes on where the log ends; a line that a crash cut off is removed first. */
  static resume(path: string): SessionLog {
    const { header, wholeBytes } = readSession(path);
    const release = lockSession(header.id, path);
    const file = openSync(path, "r+");
    ftruncateSync(file, wholeBytes);
    closeSync(file);
    return new SessionLog(header.id, path, openSync(path, "a"), release);
  }

  /** Keeps the events that make up the conversation and lets the others pass. */
  append(event: AgentEvent): void {
    if (isLogged(event)) this.#write({ at: new Date().toISOString(), ...event });
  }

  close(): void {
    if (this.#file === undefined) return;
    closeSync(this.#file);
    this.#file = undefined;
    this.#release();
  }

  #write(value: unknown): void {
    if (this.#file === undefined) throw new Error("the session log is closed");
    const line = Buffer.from(`${JSON.stringify(value)}\n`);
    try {
      for (let at = 0; at < line.length; ) at += writeSync(this.#file, line, at);
    } catch (error) {
      const code = systemCode(error) ?? "EIO";
      const issue = `cannot write ${this.path}; what follows would be lost`;
      throw new SessionError({ kind: "unwritable", issue, code }, { cause: error });
    }
  }
}
