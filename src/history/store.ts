/** The directory of sessions: `<time>-<id>.jsonl`. */

import { closeSync, openSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../protocol/index.ts";
import { artifactsIn } from "./artifacts-in.ts";
import { isLogged, LOG_VERSION, type SessionHeader } from "./entry.ts";
import { SessionError } from "./errors.ts";
import { lockSession } from "./lock.ts";
import { SessionLog } from "./log.ts";
import { readSession, type SessionContent } from "./read.ts";
import { type SessionSummary, summaryOf } from "./summary.ts";

export interface OpenSession {
  readonly log: SessionLog;
  /** The session until now. */
  readonly content: Omit<SessionContent, "wholeBytes">;
}

export class SessionStore {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  create(cwd: string, parent?: string): SessionLog {
    const id = crypto.randomUUID();
    const createdAt = new Date().toISOString();
    const header: SessionHeader = {
      type: "session",
      version: LOG_VERSION,
      id,
      cwd,
      createdAt,
      ...(parent === undefined ? {} : { parent }),
    };
    return SessionLog.create(join(this.#directory, `${createdAt.replace(/[:.]/g, "-")}-${id}.jsonl`), header);
  }

  resume({ path }: SessionSummary, cwd: string): OpenSession {
    return SessionLog.resume(path, cwd);
  }

  /** Opens a copy; the original stays as it is, and may be in use. */
  fork({ path }: SessionSummary, cwd: string): OpenSession {
    const content = readSession(path);
    const log = this.create(cwd, content.header.id);
    try {
      for (const entry of content.entries) if (isLogged(entry)) log.append(entry);
    } catch (error) {
      log.close();
      // Half a conversation would be the newest one of its directory.
      rmSync(log.path, { force: true });
      throw error;
    }
    return { log, content };
  }

  /** Newest first. */
  list(): SessionSummary[] {
    return this.#files()
      .flatMap((name) => summaryOf(join(this.#directory, name)) ?? [])
      .sort((a, b) => b.changedAt.localeCompare(a.changedAt) || b.createdAt.localeCompare(a.createdAt));
  }

  newest(cwd: string): SessionSummary | undefined {
    return this.list().find((session) => session.cwd === cwd);
  }

  /** By id or the beginning of one. Nothing is the beginning of every id, and an empty variable in a script means none. */
  find(reference: string): SessionSummary {
    const names = this.#files().filter((name) => reference !== "" && idIn(name).startsWith(reference));
    const matches = names.flatMap((name) => summaryOf(join(this.#directory, name)) ?? []);
    const [only] = matches;
    if (only !== undefined && matches.length === 1) return only;
    const [kind, code, problem] =
      matches.length > 1
        ? (["ambiguous", "AMBIGUOUS", `'${reference}' fits ${matches.length} sessions`] as const)
        : (["not-found", "ENOENT", `there is no session '${reference}'`] as const);
    throw new SessionError({ kind, issue: `${problem}; see: omp sessions list`, code });
  }

  /**
   * Throws when an omp works on it.
   * @returns the artifacts that were its own: no other session names them
   */
  remove(session: SessionSummary): string[] {
    const { id, path } = session;
    const file = openSync(path, "r");
    try {
      lockSession(file, { id, path });
      const own = this.#ownArtifacts(session);
      rmSync(path, { force: true });
      return own;
    } finally {
      closeSync(file);
    }
  }

  /** Copies of a session name the artifacts that it had until then. */
  #ownArtifacts(session: SessionSummary): string[] {
    const all = this.list();
    const relatives = all.filter(
      ({ id, parent }) =>
        id !== session.id && (parent !== undefined || all.some((each) => each.parent === id)),
    );
    const shared = new Set(relatives.flatMap(({ path }) => [...artifactsIn(path)]));
    return [...artifactsIn(session.path)].filter((artifact) => !shared.has(artifact));
  }

  #files(): string[] {
    try {
      return readdirSync(this.#directory).filter((name) => name.endsWith(".jsonl"));
    } catch (error) {
      const code = systemCode(error);
      if (code === "ENOENT") return [];
      const issue = `cannot read ${this.#directory}`;
      throw new SessionError({ kind: "unreadable", issue, code: code ?? "UNREADABLE" }, { cause: error });
    }
  }
}

function idIn(name: string): string {
  return /Z-([^/]+)\.jsonl$/.exec(name)?.[1] ?? "";
}
