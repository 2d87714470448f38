/** Takes a session back that no omp works on: its files and its conversation. Its variables and its shell have ended with its process. */

import { ompPaths } from "../config/paths.ts";
import { loadSettingsWithOrigins, settingsFiles } from "../config/settings.ts";
import type { Moment } from "../history/entry.ts";
import { momentOf, type Prompt, promptsIn } from "../history/prompts.ts";
import { readSession, type SessionContent } from "../history/read.ts";
import { SessionStore } from "../history/store.ts";
import { OmpError } from "../protocol/index.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { openFiles, type SessionFiles } from "./files.ts";
import {
  performRewind,
  previewRewind,
  previewUndo,
  type RewindChoice,
  type RewindPreview,
  type RewindReport,
} from "./rewind.ts";

export interface StoredRewind {
  /** Its id, or the beginning of it. */
  readonly session: string;
  /** The number of a prompt, or the last return. */
  readonly to: number | "undo";
  readonly choice: Pick<RewindChoice, "files" | "conversation">;
  readonly isDryRun: boolean;
}

export interface StoredRewindResult {
  readonly sessionId: string;
  /** Undefined for an undo. */
  readonly prompt: Prompt | undefined;
  readonly seen: RewindPreview;
  /** Undefined in a dry run. */
  readonly report: RewindReport | undefined;
}

/** Throws OmpError; SessionError also when an omp works on the session. */
export async function rewindStored(wish: StoredRewind, invocation: Invocation): Promise<StoredRewindResult> {
  const store = new SessionStore(ompPaths(invocation));
  const session = store.find(wish.session);
  const { signal } = new AbortController();
  if (wish.isDryRun) {
    const content = readSession(session.path);
    const { prompt, moment } = targetIn(content, wish.to);
    return await withFiles(moment, invocation, async (files) => {
      const seen = await look(content, prompt, files, signal);
      return { sessionId: session.id, prompt, seen, report: undefined };
    });
  }
  const { log } = store.resume(session, session.cwd);
  try {
    const content = readSession(log.path);
    const { prompt, moment } = targetIn(content, wish.to);
    return await withFiles(moment, invocation, async (files) => {
      const seen = await look(content, prompt, files, signal);
      requireFiles(wish, seen);
      const report = await performRewind(seen, { ...wish.choice, variables: false }, { files }, signal);
      const { conversation } = wish.choice;
      const { before } = report;
      log.rewind(conversation ? seen.keep : content.entries.length, { before, isUndo: seen.isUndo });
      if (conversation) log.bringBack(seen.again);
      return { sessionId: session.id, prompt, seen, report };
    });
  } finally {
    log.close();
  }
}

async function look(
  content: SessionContent,
  prompt: Prompt | undefined,
  files: SessionFiles,
  signal: AbortSignal,
): Promise<RewindPreview> {
  const { entries, lastRewind } = content;
  if (prompt !== undefined) return await previewRewind(entries, prompt, { files }, signal);
  if (lastRewind === undefined) throw nothingToUndoError();
  return await previewUndo(entries, lastRewind, { files }, signal);
}

/** Whoever asks for files alone must not be told that it is done. */
function requireFiles({ choice }: StoredRewind, { files }: RewindPreview): void {
  if (!choice.files || choice.conversation || files.kind === "known") return;
  throw new OmpError({ operation: "rewind", issue: files.reason, code: "NOT_KEPT" });
}

function targetIn(
  { entries, lastRewind }: SessionContent,
  to: StoredRewind["to"],
): { readonly prompt: Prompt | undefined; readonly moment: Moment } {
  if (to === "undo") {
    if (lastRewind === undefined) throw nothingToUndoError();
    return { prompt: undefined, moment: lastRewind.entry.before ?? {} };
  }
  const prompts = promptsIn(entries);
  const prompt = prompts[to - 1];
  if (prompt === undefined) {
    const issue = `there is no prompt ${to}; the session has ${prompts.length}, see: omp sessions show <id>`;
    throw new OmpError({ operation: "rewind", issue, code: "NO_PROMPT" });
  }
  return { prompt, moment: momentOf(entries, prompt) };
}

function nothingToUndoError(): OmpError {
  const issue = "this session was not taken back, so there is nothing to undo";
  return new OmpError({ operation: "rewind", issue, code: "NO_REWIND" });
}

async function withFiles<T>(
  { files: kept }: Moment,
  { env, cwd }: Invocation,
  use: (files: SessionFiles) => Promise<T>,
): Promise<T> {
  if (kept === undefined) return await use({ off: "the files of that moment were not kept" });
  const paths = ompPaths({ env });
  const { settings } = await loadSettingsWithOrigins(settingsFiles({ env, cwd }));
  // What was kept while the setting was on can be brought back.
  const always = { ...settings, files: { ...settings.files, checkpoints: true } };
  const files = openFiles({ settings: always, paths, env }, kept.root);
  try {
    return await use(files);
  } finally {
    if (!("off" in files)) await files.close();
  }
}
