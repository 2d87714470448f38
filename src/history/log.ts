/** A session's log, open for appending. Each line is written at once and as a whole: a crash loses at most the line it cuts. */

import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { type AgentEvent, systemCode } from "../protocol/index.ts";
import {
  type CheckpointEntry,
  type ClosedEntry,
  isLogged,
  type LoggedEvent,
  type OpenedEntry,
  type RewoundEntry,
  type SessionEntry,
  type SessionHeader,
  withoutCopies,
} from "./entry.ts";
import { SessionError } from "./errors.ts";
import { lockSession } from "./lock.ts";
import { readSession, type SessionContent } from "./read.ts";

const { O_APPEND, O_CREAT, O_EXCL, O_RDWR } = constants;

export class SessionLog {
  readonly id: string;
  readonly path: string;
  #file: number | undefined;
  /** Up to the end of the last line that is known to be whole. */
  #wholeBytes: number;
  /** Lines that the disk had no space for, in order: they are written first when it has some again. */
  readonly #unwritten: Buffer[] = [];
  /** It has no messages yet. */
  #isEmpty = false;

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  private constructor(id: string, path: string, file: number, wholeBytes: number) {
    this.id = id;
    this.path = path;
    this.#file = file;
    this.#wholeBytes = wholeBytes;
  }

  static create(path: string, header: SessionHeader): SessionLog {
    const file = attempt(path, () => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      return openSync(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL, 0o600);
    });
    return closedOnError(file, () => {
      lockSession(file, { id: header.id, path });
      const log = new SessionLog(header.id, path, file, 0);
      try {
        log.#write(header);
        log.#append({ type: "opened", pid: process.pid, cwd: header.cwd });
      } catch (error) {
        // A log without its first lines is useless.
        rmSync(path, { force: true });
        throw error;
      }
      log.#isEmpty = true;
      return log;
    });
  }

  /** Continues where the log ends, and returns what it held until then; a line that a crash cut off is removed. */
  static resume(path: string, cwd: string): { readonly log: SessionLog; readonly content: SessionContent } {
    const { header } = readSession(path);
    const file = attempt(path, () => openSync(path, O_RDWR | O_APPEND));
    return closedOnError(file, () => {
      lockSession(file, { id: header.id, path });
      if (isRemoved(file, path)) {
        const issue = `session ${header.id} has been removed`;
        throw new SessionError({ kind: "not-found", issue, code: "ENOENT" });
      }
      // Only under the lock does nothing else write to it.
      const content = readSession(path);
      const log = new SessionLog(header.id, path, file, content.wholeBytes);
      attempt(path, () => ftruncateSync(file, content.wholeBytes));
      log.#append({ type: "opened", pid: process.pid, cwd });
      return { log, content };
    });
  }

  /**
   * Keeps the events that make up the conversation and lets the others pass. Throws SessionError when the line could not be
   * written; it is tried again with the next one, so that the log has no gaps once there is room.
   */
  append(event: AgentEvent): void {
    if (!isLogged(event)) return;
    this.#isEmpty = false;
    this.#append(withoutCopies(event));
  }

  /** Goes back: of what the log has, only the first entries count from here on. Throws SessionError. */
  rewind(keep: number, more: Omit<RewoundEntry, "type" | "keep"> = {}): void {
    this.#append({ type: "rewound", keep, ...more });
  }

  /** Where it can be gone back to. A session with nothing else leaves no file. Throws SessionError. */
  addCheckpoint(checkpoint: Omit<CheckpointEntry, "type">): void {
    this.#append({ type: "checkpoint", ...checkpoint });
  }

  /** Has once more what an earlier return left out. Throws SessionError. */
  bringBack(entries: readonly SessionEntry[]): void {
    for (const entry of entries)
      if (entry.type === "checkpoint" || isLogged(entry)) {
        this.#isEmpty = false;
        this.#append(entry);
      }
  }

  /** A new session without messages leaves no file. */
  close(): void {
    if (this.#file === undefined) return;
    try {
      if (this.#isEmpty) rmSync(this.path, { force: true });
      else this.#append({ type: "closed", pid: process.pid });
    } catch (error) {
      // `append` has reported the lines that are missing.
      if (!(error instanceof SessionError)) throw error;
    }
    closeSync(this.#file);
    this.#file = undefined;
  }

  #append(entry: LoggedEvent | OpenedEntry | ClosedEntry | CheckpointEntry | RewoundEntry): void {
    this.#write({ at: new Date().toISOString(), ...entry });
  }

  #write(value: object): void {
    const file = this.#file;
    if (file === undefined) throw new Error("the session log is closed");
    this.#unwritten.push(Buffer.from(`${JSON.stringify(value)}\n`));
    attempt(this.path, () => this.#writeAll(file));
  }

  #writeAll(file: number): void {
    // Half a line that an earlier attempt left.
    if (this.#unwritten.length > 1) ftruncateSync(file, this.#wholeBytes);
    for (let line = this.#unwritten[0]; line !== undefined; line = this.#unwritten[0]) {
      for (let at = 0; at < line.length; ) at += writeSync(file, line, at);
      this.#wholeBytes += line.length;
      this.#unwritten.shift();
    }
  }
}

function attempt<Value>(path: string, act: () => Value): Value {
  try {
    return act();
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    const issue = `cannot write ${path}; the session is not being saved`;
    throw new SessionError({ kind: "unwritable", issue, code }, { cause: error });
  }
}

function closedOnError<Value>(file: number, act: () => Value): Value {
  try {
    return act();
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

function isRemoved(file: number, path: string): boolean {
  return fstatSync(file).ino !== statSync(path, { throwIfNoEntry: false })?.ino;
}
