/** The directory of sessions: `<time>-<id>.jsonl`. */

import { closeSync, openSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemCode } from "../protocol/index.ts";
import { artifactsIn } from "./artifacts-in.ts";
import { copyEarlierSessions } from "./earlier-sessions.ts";
import { LOG_VERSION, type SessionHeader } from "./entry.ts";
import { SessionError } from "./errors.ts";
import { lockSession } from "./lock.ts";
import { SessionLog } from "./log.ts";
import { readSession, type SessionContent } from "./read.ts";
import { type SessionSummary, summaryOf } from "./summary.ts";
import { removeVariables } from "./variables-path.ts";

export interface OpenSession {
  readonly log: SessionLog;
  /** The session until now. */
  readonly content: Omit<SessionContent, "wholeBytes">;
}

export class SessionStore {
  readonly #directory: string;
  readonly #earlier: string | undefined;

  /** @param earlierSessions where sessions were kept before: those of ours are copied when sessions are looked for. */
  constructor({
    sessions,
    earlierSessions,
  }: { readonly sessions: string; readonly earlierSessions?: string }) {
    this.#directory = sessions;
    this.#earlier = earlierSessions;
  }

  create(cwd: string, origin: Pick<SessionHeader, "parent" | "agent"> = {}): SessionLog {
    const id = crypto.randomUUID();
    const createdAt = new Date().toISOString();
    const header: SessionHeader = {
      type: "session",
      version: LOG_VERSION,
      id,
      cwd,
      createdAt,
      ...origin,
    };
    return SessionLog.create(join(this.#directory, `${createdAt.replace(/[:.]/g, "-")}-${id}.jsonl`), header);
  }

  resume(session: SessionSummary, cwd: string): OpenSession {
    this.#mayChange(session);
    return SessionLog.resume(session.path, cwd);
  }

  /** Opens a copy, of the first entries if `keep` is given; the original stays as it is, and may be in use. */
  fork({ path }: SessionSummary, cwd: string, keep?: number): OpenSession {
    const whole = readSession(path);
    const content = { ...whole, entries: whole.entries.slice(0, keep) };
    const log = this.create(cwd, { parent: content.header.id });
    try {
      log.bringBack(content.entries);
    } catch (error) {
      log.close();
      // Half a conversation would be the newest one of its directory.
      rmSync(log.path, { force: true });
      throw error;
    }
    return { log, content };
  }

  /** Newest first, without those of subagents. */
  list(): SessionSummary[] {
    return this.#all().filter(({ agent }) => agent === undefined);
  }

  #all(): SessionSummary[] {
    return this.#files()
      .flatMap((path) => summaryOf(path) ?? [])
      .sort((a, b) => b.changedAt.localeCompare(a.changedAt) || b.createdAt.localeCompare(a.createdAt));
  }

  newest(cwd: string): SessionSummary | undefined {
    return this.list().find((session) => session.cwd === cwd);
  }

  /** By id or the beginning of one. Nothing is the beginning of every id, and an empty variable in a script means none. */
  find(reference: string): SessionSummary {
    const paths = this.#files().filter((path) => reference !== "" && idIn(path).startsWith(reference));
    const matches = paths.flatMap((path) => summaryOf(path) ?? []);
    const [only] = matches;
    if (only !== undefined && matches.length === 1) return only;
    const [kind, code, problem] =
      matches.length > 1
        ? (["ambiguous", "AMBIGUOUS", `'${reference}' matches ${matches.length} sessions`] as const)
        : (["not-found", "ENOENT", `no session '${reference}'`] as const);
    throw new SessionError({ kind, issue: `${problem}; see: omp sessions list`, code });
  }

  /**
   * With the sessions of its subagents. Throws when an omp works on it.
   * @returns the artifacts that were its own: no other session names them
   */
  remove(session: SessionSummary): string[] {
    const { id, path } = session;
    this.#mayChange(session);
    const file = openSync(path, "r");
    try {
      lockSession(file, { id, path });
      const all = this.#all();
      const own = ownArtifacts(session, all);
      const ofAgents = all.filter(({ agent, parent }) => agent !== undefined && parent === id);
      const theirs = ofAgents.flatMap((each) => this.remove(each));
      removeVariables(path);
      rmSync(path, { force: true });
      return [...own, ...theirs];
    } finally {
      closeSync(file);
    }
  }

  /** What is in the earlier directory may not be only ours, and stays as it is. */
  #mayChange({ id, path }: SessionSummary): void {
    if (dirname(path) === this.#directory) return;
    const issue = `session ${id} cannot be copied to ${this.#directory}, where omp could change it; free some space there, or make it writable`;
    throw new SessionError({ kind: "unwritable", issue, code: "NOT_COPIED" });
  }

  #files(): string[] {
    const left = this.#earlier === undefined ? [] : copyEarlierSessions(this.#earlier, this.#directory);
    try {
      const names = readdirSync(this.#directory).filter((name) => name.endsWith(".jsonl"));
      return [...names.map((name) => join(this.#directory, name)), ...left];
    } catch (error) {
      const code = systemCode(error);
      if (code === "ENOENT") return [...left];
      const issue = `cannot read ${this.#directory}`;
      throw new SessionError({ kind: "unreadable", issue, code: code ?? "UNREADABLE" }, { cause: error });
    }
  }
}

/** Copies of a session name the artifacts that it had until then. */
function ownArtifacts(session: SessionSummary, all: readonly SessionSummary[]): string[] {
  const relatives = all.filter(
    ({ id, parent }) => id !== session.id && (parent !== undefined || all.some((each) => each.parent === id)),
  );
  const shared = new Set(relatives.flatMap(({ path }) => [...artifactsIn(path)]));
  return [...artifactsIn(session.path)].filter((artifact) => !shared.has(artifact));
}

function idIn(path: string): string {
  return /Z-([^/]+)\.jsonl$/.exec(path)?.[1] ?? "";
}
