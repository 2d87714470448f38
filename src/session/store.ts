/** The directory of sessions: `<time>-<id>.jsonl`, newest last by name. */

import { closeSync, openSync, readdirSync, readSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { v4 as uuid } from "uuid";
import { systemCode } from "../protocol/index.ts";
import type { SessionHeader } from "./entry.ts";
import { SessionError } from "./errors.ts";
import { SessionLog } from "./log.ts";
import { readSession } from "./read.ts";

export interface SessionSummary {
  readonly id: string;
  readonly path: string;
  readonly cwd: string;
  readonly createdAt: string;
  readonly changedAt: string;
  readonly bytes: number;
  /** The beginning of the first prompt. */
  readonly title: string;
}

/** Enough for the header and the first prompt, however long the session is. */
const HEAD_BYTES = 16_384;
const TITLE_CHARS = 80;

export class SessionStore {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  create(cwd: string, parent?: string): SessionLog {
    const id = uuid();
    const createdAt = new Date().toISOString();
    const header: SessionHeader = {
      type: "session",
      version: 1,
      id,
      cwd,
      createdAt,
      ...(parent ? { parent } : {}),
    };
    return SessionLog.create(this.#pathOf(id, createdAt), header);
  }

  resume(session: SessionSummary): SessionLog {
    return SessionLog.resume(session.path);
  }

  /** A copy to go on with; the original stays as it is. */
  fork(source: SessionSummary): SessionLog {
    const { entries, header } = readSession(source.path);
    const log = this.create(header.cwd, header.id);
    for (const entry of entries) log.append(entry);
    return log;
  }

  /** Newest last. */
  list(): SessionSummary[] {
    return this.#files().flatMap((name) => summaryOf(join(this.#directory, name)) ?? []);
  }

  newest(cwd: string): SessionSummary | undefined {
    return this.list()
      .filter((session) => session.cwd === cwd)
      .sort((a, b) => a.changedAt.localeCompare(b.changedAt))
      .at(-1);
  }

  /** By id or the beginning of one. */
  find(reference: string): SessionSummary {
    const matches = this.list().filter(({ id }) => id.startsWith(reference));
    const [only] = matches;
    if (only && matches.length === 1) return only;
    const [kind, problem] =
      matches.length > 1
        ? (["ambiguous", `'${reference}' fits ${matches.length} sessions`] as const)
        : (["not-found", `there is no session '${reference}'`] as const);
    throw new SessionError({
      kind,
      issue: `${problem}; see: omp sessions list`,
      code: kind === "ambiguous" ? "AMBIGUOUS" : "ENOENT",
    });
  }

  remove({ path }: SessionSummary): void {
    rmSync(path, { force: true });
    rmSync(`${path}.lock`, { force: true });
  }

  #files(): string[] {
    try {
      return readdirSync(this.#directory)
        .filter((name) => name.endsWith(".jsonl"))
        .sort();
    } catch (error) {
      if (systemCode(error) === "ENOENT") return [];
      throw error;
    }
  }

  #pathOf(id: string, createdAt: string): string {
    return join(this.#directory, `${createdAt.replace(/[:.]/g, "-")}-${id}.jsonl`);
  }
}

/** From the beginning of the file alone: a list of a thousand sessions must not read them all. */
function summaryOf(path: string): SessionSummary | undefined {
  const { size, mtime } = statSync(path);
  const head = Buffer.alloc(Math.min(size, HEAD_BYTES));
  const file = openSync(path, "r");
  readSync(file, head, 0, head.length, 0);
  closeSync(file);
  const [first = "", ...rest] = head.toString("utf8").split("\n");
  const header = /^\{"type":"session"/.test(first) ? (JSON.parse(first) as SessionHeader) : undefined;
  if (!header) return undefined;
  const { id, cwd, createdAt } = header;
  return { id, path, cwd, createdAt, changedAt: mtime.toISOString(), bytes: size, title: titleOf(rest) };
}

/** The first prompt's words, also when the line is too long to be whole here. */
function titleOf(lines: readonly string[]): string {
  const line = lines.find((candidate) => candidate.includes('"type":"user"')) ?? "";
  const text = /"type":"text","text":"((?:[^"\\]|\\.)*)/.exec(line)?.[1] ?? "";
  const plain = text.replace(/\\[nrt]/g, " ").replace(/\\(.)/g, "$1");
  return plain.length > TITLE_CHARS ? `${plain.slice(0, TITLE_CHARS)}…` : plain;
}
