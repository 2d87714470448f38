/** `omp sessions list|show|export|rm`. */

import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { exitCodeOf } from "../app/exit-codes.ts";
import type { CommandIo } from "../app/io.ts";
import { ompPaths } from "../config/paths.ts";
import { readSession } from "../history/read.ts";
import { SessionStore } from "../history/store.ts";
import type { SessionSummary } from "../history/summary.ts";
import { OmpError, systemCode } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";

export type SessionsAction =
  | { readonly name: "list"; readonly json?: boolean | undefined }
  | { readonly name: "show"; readonly id: string; readonly json?: boolean | undefined }
  | {
      readonly name: "export";
      readonly id: string;
      readonly format?: "markdown" | "html" | undefined;
      /** stdout when not given. */
      readonly output?: string | undefined;
    }
  | { readonly name: "rm"; readonly ids: readonly string[] };

/** The exit code: 0, 2 when a session is not there, not clear or in use, 1 when something cannot be written. */
export async function runSessions(action: SessionsAction, io: CommandIo, place: Invocation): Promise<number> {
  const store = new SessionStore(ompPaths({ env: place.env }).sessions);
  try {
    switch (action.name) {
      case "list":
        io.stdout(action.json ? jsonText(store.list().map(summaryFields)) : table(store.list()));
        return 0;
      case "show":
        io.stdout(await shown(store.find(action.id), action.json ?? false));
        return 0;
      case "export":
        await exportSession(store.find(action.id), action, io, place);
        return 0;
      case "rm":
        return remove(action.ids, store, io);
    }
  } catch (error) {
    if (!(error instanceof OmpError)) throw error;
    io.stderr(`${error.message}\n`);
    return exitCodeOf(error);
  }
}

function summaryFields({ id, path, cwd, createdAt, changedAt, bytes, parent, title }: SessionSummary) {
  return {
    id,
    title,
    cwd,
    created_at: createdAt,
    changed_at: changedAt,
    bytes,
    parent: parent ?? null,
    path,
  };
}

const SHORT_ID = 8;

/** Enough of the id to name the session, when it was worked on, where it was begun, and its first words. */
function table(sessions: readonly SessionSummary[]): string {
  if (sessions.length === 0) return "There are no sessions yet.\n";
  const rows = sessions.map(({ id, changedAt, cwd, title }) => [
    id.slice(0, SHORT_ID),
    changedAt.slice(0, 16).replace("T", " "),
    // A directory's name may hold anything; a session is one line, and has nothing for the terminal to obey.
    cwd.replace(/\p{Cc}+/gu, " "),
    title,
  ]);
  const width = Math.max(...rows.map(([, , cwd]) => Bun.stringWidth(cwd ?? "")));
  return rows
    .map(([id, when, cwd = "", title]) => {
      const padding = " ".repeat(width - Bun.stringWidth(cwd));
      return `${id}  ${when}  ${cwd}${padding}  ${title}`.trimEnd();
    })
    .join("\n")
    .concat("\n");
}

const SHOWN_OUTPUT_LINES = 20;

async function shown(session: SessionSummary, json: boolean): Promise<string> {
  const content = readSession(session.path);
  if (json) return jsonText({ session: summaryFields(session), entries: content.entries });
  const { markdownOf } = await import("../history/export-markdown.ts");
  return markdownOf(content, { maxOutputLines: SHOWN_OUTPUT_LINES });
}

async function exportSession(
  session: SessionSummary,
  { format, output }: Extract<SessionsAction, { name: "export" }>,
  io: CommandIo,
  place: Invocation,
): Promise<void> {
  const content = readSession(session.path);
  const isHtml = format === undefined ? /\.html?$/i.test(output ?? "") : format === "html";
  const text = isHtml
    ? (await import("../history/export-html.ts")).htmlOf(content)
    : (await import("../history/export-markdown.ts")).markdownOf(content);
  if (output === undefined) io.stdout(text);
  else writeDocument(resolve(place.cwd, output), text);
}

function writeDocument(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    const code = systemCode(error) ?? "EIO";
    const parts = { operation: "sessions", issue: `cannot write ${file}`, code };
    throw new OmpError(parts, { cause: error });
  }
}

/** What can be removed is; the others are told one by one. */
function remove(ids: readonly string[], store: SessionStore, io: CommandIo): number {
  let exitCode = 0;
  for (const id of ids) {
    try {
      const session = store.find(id);
      store.remove(session);
      io.stdout(`removed ${session.id}\n`);
    } catch (error) {
      if (!(error instanceof OmpError)) throw error;
      io.stderr(`${error.message}\n`);
      exitCode = exitCodeOf(error);
    }
  }
  return exitCode;
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
