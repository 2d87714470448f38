/** `omp sessions list|show|export|rm`. */

import { resolve } from "node:path";
import { withErrorLine } from "../app/exit-codes.ts";
import { exportText, writeExport } from "../app/export-session.ts";
import { removeInputs } from "../app/inputs.ts";
import type { CommandIo } from "../app/io.ts";
import { jsonText, tableText } from "../app/printing.ts";
import { ompPaths } from "../config/paths.ts";
import { count } from "../format/numbers.ts";
import { promptsIn } from "../history/prompts.ts";
import { readSession } from "../history/read.ts";
import { SessionStore } from "../history/store.ts";
import type { SessionSummary } from "../history/summary.ts";
import { ArtifactStore } from "../output/artifacts.ts";
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

/** The exit code: 0, 2 when a session is missing, ambiguous or in use, 1 when something cannot be written. */
export async function runSessions(
  action: SessionsAction,
  io: CommandIo,
  { env, cwd }: Invocation,
): Promise<number> {
  const paths = ompPaths({ env });
  const store = new SessionStore(paths);
  return await withErrorLine(io, async () => {
    switch (action.name) {
      case "list":
        io.stdout(action.json ? jsonText(store.list().map(summaryFields)) : listText(store.list()));
        break;
      case "show":
        io.stdout(await showText(store.find(action.id), action.json ?? false));
        break;
      case "export": {
        const { id, format, output } = action;
        const file = output === undefined ? undefined : resolve(cwd, output);
        const text = await exportText(store.find(id).path, { format, file });
        if (file === undefined) io.stdout(text);
        else writeExport(file, text, "sessions");
        break;
      }
      case "rm":
        return await removeAll(
          action.ids,
          { store, artifacts: artifactStore(paths.artifacts), inputs: paths.inputs },
          io,
        );
    }
    return 0;
  });
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

/** Enough of the id to name the session, when it was last used, where it started, and its first words. */
function listText(sessions: readonly SessionSummary[]): string {
  if (sessions.length === 0) return "No sessions yet.\n";
  return tableText(
    sessions.map(({ id, changedAt, cwd, title }) => [
      id.slice(0, SHORT_ID),
      changedAt.slice(0, 16).replace("T", " "),
      // The name of a directory may contain anything; a session is one line, without control characters.
      cwd.replace(/\p{Cc}+/gu, " "),
      title,
    ]),
  );
}

const SHOWN_OUTPUT_LINES = 20;

async function showText(session: SessionSummary, json: boolean): Promise<string> {
  const content = readSession(session.path);
  if (json) {
    const prompts = promptsIn(content.entries).map(({ number, text, at }) => ({ number, text, at }));
    return jsonText({ session: summaryFields(session), prompts, entries: content.entries });
  }
  const { markdownOf } = await import("../history/export-markdown.ts");
  return markdownOf(content, { maxOutputLines: SHOWN_OUTPUT_LINES, numbersPrompts: true });
}

/** Removing needs no limits. */
function artifactStore(directory: string): ArtifactStore {
  return new ArtifactStore({ directory, maxTotalBytes: 0, maxAgeMs: 0 });
}

interface Kept {
  readonly store: SessionStore;
  readonly artifacts: ArtifactStore;
  /** The directory of large inputs. */
  readonly inputs: string;
}

/** Removes what it can, with its artifacts; every other session gets its own error line, and the last one's exit code counts. */
async function removeAll(
  ids: readonly string[],
  { store, artifacts, inputs }: Kept,
  io: CommandIo,
): Promise<number> {
  let exitCode = 0;
  for (const id of ids) {
    const code = await withErrorLine(io, async () => {
      const session = store.find(id);
      const removed = store.remove(session).filter((artifact) => artifacts.remove(artifact));
      const kept = removeInputs(inputs, session.id);
      const more = [
        ...(removed.length === 0 ? [] : [count(removed.length, "artifact")]),
        ...(kept === 0 ? [] : [count(kept, "input")]),
      ];
      io.stdout(`${[`removed ${session.id}`, ...more].join(" and ")}\n`);
      return 0;
    });
    exitCode = code || exitCode;
  }
  return exitCode;
}
