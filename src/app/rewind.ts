/**
 * Takes a session back to the moment of a prompt: the project's files, the kernel's variables, the shell, the conversation, or some of
 * these; and takes that back again. What the screen and `omp sessions rewind` have in common.
 */

import type { Moment, SessionEntry } from "../history/entry.ts";
import { type Dropped, droppedFrom, momentOf, type Prompt, promptsIn } from "../history/prompts.ts";
import type { LastRewind } from "../history/read.ts";
import { presentNotKept } from "../kernel/pool/history.ts";
import { OmpError } from "../protocol/index.ts";
import type { VariableChanges, VariableHistory } from "../protocol/time.ts";
import type { Change } from "../worktree/changes.ts";
import { WorktreeError } from "../worktree/errors.ts";
import type { Restored } from "../worktree/restore.ts";
import type { Snapshot } from "../worktree/snapshot-store.ts";
import type { SessionFiles } from "./files.ts";
import { type NotCoveredName, notCoveredNames } from "./not-covered.ts";

export interface RewindParts {
  readonly files: SessionFiles;
  /** Absent where there is no kernel that could have any. */
  readonly variables?: VariableHistory | undefined;
  readonly shell?: RewindShell | undefined;
}

/** The persistent shell over time. */
export interface RewindShell {
  /** Whether what it had at that moment is known. */
  has(moment: Moment): boolean;
  restore(moment: Moment): Promise<void>;
  /** For an undo. */
  keep(): Promise<Pick<Moment, "shell">>;
}

export interface RewindChoice {
  readonly files: boolean;
  readonly variables: boolean;
  readonly conversation: boolean;
}

/** What a return would change. Reasons are clauses. */
export interface RewindPreview {
  readonly moment: Moment;
  readonly files: FilesPreview;
  readonly variables: VariablesPreview;
  /** Whether the shell of that moment is known. */
  readonly hasShell: boolean;
  /** Of the conversation. */
  readonly dropped: Dropped;
  /** How many entries of the log count afterwards, and which follow again. */
  readonly keep: number;
  readonly again: readonly SessionEntry[];
  readonly isUndo: boolean;
  /** Prompts since the return that is to be undone. */
  readonly promptsSince: number;
}

export type FilesPreview =
  | {
      readonly kind: "known";
      readonly changes: readonly Change[];
      readonly now: Snapshot;
      readonly target: Snapshot;
      /** What stays as it is, whatever was done to it. */
      readonly notCovered: readonly NotCoveredName[];
    }
  | { readonly kind: "impossible"; readonly reason: string };

export type VariablesPreview =
  /** `changes` is undefined where they cannot be told. A checkpoint of null: an empty kernel. */
  | {
      readonly kind: "known";
      readonly changes: VariableChanges | undefined;
      readonly checkpoint: string | null;
      /** What of that moment does not come back. */
      readonly notHeld: readonly string[];
      /** Why the return could not be undone; undefined where it can. */
      readonly noUndo: string | undefined;
    }
  | { readonly kind: "impossible"; readonly reason: string };

export interface RewindReport {
  readonly files: Restored | undefined;
  readonly variables:
    | { readonly notHeld: readonly string[]; readonly noUndo: string | undefined }
    | { readonly reason: string }
    | undefined;
  /** `reason`: why it stays as it is; undefined where it was not to be taken back. */
  readonly shell: { readonly reason?: string } | undefined;
  /** For the log. */
  readonly before: Moment;
}

export async function previewRewind(
  entries: readonly SessionEntry[],
  prompt: Prompt,
  parts: RewindParts,
  signal: AbortSignal,
): Promise<RewindPreview> {
  const moment = momentOf(entries, prompt);
  const dropped = droppedFrom(entries, prompt);
  return {
    ...(await preview(moment, parts, signal)),
    dropped,
    keep: prompt.index,
    again: [],
    isUndo: false,
    promptsSince: 0,
  };
}

/** Of the last return. */
export async function previewUndo(
  entries: readonly SessionEntry[],
  { entry, entries: earlier }: LastRewind,
  parts: RewindParts,
  signal: AbortSignal,
): Promise<RewindPreview> {
  // Where the conversation was left as it was, it still is.
  const again = earlier.slice(entry.keep);
  const keep = again.length === 0 ? entries.length : entry.keep;
  const dropped = droppedFrom(entries, { index: keep });
  // What was brought back has the times that it had.
  const promptsSince = promptsIn(entries).filter(({ at }) => at > (entry.at ?? "")).length;
  return {
    ...(await preview(entry.before ?? {}, parts, signal)),
    dropped,
    keep,
    again,
    isUndo: true,
    promptsSince,
  };
}

async function preview(moment: Moment, parts: RewindParts, signal: AbortSignal) {
  const [files, variables] = await Promise.all([
    previewFiles(moment, parts, signal),
    previewVariables(moment, parts, signal),
  ]);
  return { moment, files, variables, hasShell: parts.shell?.has(moment) === true };
}

async function previewFiles(
  moment: Moment,
  { files }: RewindParts,
  signal: AbortSignal,
): Promise<FilesPreview> {
  const impossible = (reason: string) => ({ kind: "impossible", reason }) as const;
  if ("off" in files) return impossible(files.off);
  if (moment.files === undefined) return impossible("the files of that moment were not kept");
  if (moment.files.root !== files.root)
    return impossible(`they were in another project, ${moment.files.root}`);
  try {
    const target = files.get(moment.files.snapshot);
    const taken = await files.take(signal);
    if (taken.kind === "skipped") return impossible(taken.reason);
    const now = taken.snapshot;
    const notCovered = notCoveredNames(files, [now, target]);
    return { kind: "known", changes: await files.changes(now, target), now, target, notCovered };
  } catch (error) {
    if (error instanceof WorktreeError) return impossible(error.issue);
    throw error;
  }
}

async function previewVariables(
  moment: Moment,
  { variables }: RewindParts,
  signal: AbortSignal,
): Promise<VariablesPreview> {
  const checkpoint = moment.variables;
  if (variables === undefined) return { kind: "impossible", reason: "there is no kernel" };
  const now = await variables.checkpoint(signal);
  const noUndo = now.kind === "impossible" ? now.reason : undefined;
  if (checkpoint === undefined)
    return { kind: "impossible", reason: noUndo ?? "the variables of that moment were not kept" };
  const found = checkpoint === null ? undefined : variables.find(checkpoint);
  if (checkpoint !== null && found === undefined)
    return { kind: "impossible", reason: "the variables of that moment are no longer kept" };
  if (checkpoint === null && noUndo !== undefined)
    return { kind: "impossible", reason: presentNotKept(noUndo) };
  const changes = await variables.changesSince(checkpoint ?? undefined, signal);
  const isSame = now.kind === "kept" && now.checkpoint.id === checkpoint;
  const notHeld = isSame ? [] : (found?.notHeld ?? []);
  return { kind: "known", changes, checkpoint, notHeld, noUndo };
}

/** Throws OmpError, or the signal's reason: nothing has changed then. What fails after that is in the report: the log needs the rest of it. */
export async function performRewind(
  seen: RewindPreview,
  choice: RewindChoice,
  parts: RewindParts,
  signal: AbortSignal,
): Promise<RewindReport> {
  const files = choice.files ? await restoreFiles(seen.files, parts, signal) : undefined;
  const variables = choice.variables
    ? await restoreVariables(seen.variables, parts, signal).catch((error: unknown) => {
        if (files === undefined || error !== signal.reason) throw error;
        return { result: { reason: "it was interrupted" }, before: {} };
      })
    : undefined;
  const shell = choice.variables && seen.hasShell ? await restoreShell(seen.moment, parts) : undefined;
  return {
    files: files?.result,
    variables: variables?.result,
    shell: shell?.result,
    before: { ...files?.before, ...variables?.before, ...shell?.before },
  };
}

async function restoreVariables(seen: VariablesPreview, { variables }: RewindParts, signal: AbortSignal) {
  if (seen.kind === "impossible" || variables === undefined) return undefined;
  const restored = await variables.restore(seen.checkpoint ?? undefined, signal);
  if (restored.kind === "impossible") return { result: { reason: restored.reason }, before: {} };
  const { undo, notHeld } = restored;
  if (undo.kind === "impossible") return { result: { notHeld, noUndo: undo.reason }, before: {} };
  const before: Moment = { variables: undo.kind === "kept" ? undo.checkpoint.id : null };
  return { result: { notHeld, noUndo: undefined }, before };
}

async function restoreShell(moment: Moment, { shell }: RewindParts) {
  if (shell === undefined) return undefined;
  const before = await shell.keep();
  try {
    await shell.restore(moment);
    return { result: {}, before };
  } catch (error) {
    if (!(error instanceof OmpError)) throw error;
    return { result: { reason: error.issue }, before };
  }
}

/** What is there now is kept first, as it is at this moment: the list may have been open for long. */
async function restoreFiles(seen: FilesPreview, { files }: RewindParts, signal: AbortSignal) {
  if (seen.kind === "impossible" || "off" in files) return undefined;
  const taken = await files.take(signal);
  if (taken.kind === "skipped") {
    const issue = `the current files cannot be kept (${taken.reason}), so no file was changed`;
    throw new OmpError({ operation: "rewind", issue, code: "NOT_KEPT" });
  }
  const result = await files.restore(taken.snapshot, seen.target);
  return { result, before: { files: { snapshot: taken.snapshot.id, root: files.root } } };
}
