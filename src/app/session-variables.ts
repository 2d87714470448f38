/** A session's Python variables from one omp to the next: found when the session is resumed, kept when omp ends. */

import { unlessAborted } from "../async/abort.ts";
import type { SessionLog } from "../history/log.ts";
import { readSession } from "../history/read.ts";
import { removeVariables, variablesPath } from "../history/variables-path.ts";
import type { Kernel } from "../kernel/kernel.ts";
import type { KeptVariables } from "../kernel/variables/kept-file.ts";
import {
  bytesOf,
  type KeptIndex,
  keptNames,
  listNames,
  listNotKept,
} from "../kernel/variables/kept-index.ts";
import { OmpError, systemCode } from "../protocol/index.ts";
import { lentCloudpickle } from "../python/lent-cloudpickle.ts";
import type { SessionPython } from "./python.ts";
import { isLooser } from "./sandbox.ts";
import type { Services } from "./services.ts";
import { type ChosenSession, resumedNotice } from "./session-choice.ts";
import type { Workspace } from "./workspace.ts";

const BYTES_PER_MB = 1_000_000;
/** After this a person who waits is told what for. */
const SLOW_MS = 400;
/** Beyond its limit, for a kernel to end what it was writing; then for it to be given up. */
const GRACE_MS = 500;
const GIVE_UP_MS = 2_000;

/** What a resumed session finds of its variables: `why` is a clause where there should have been some. */
export type FoundVariables = { readonly kept: KeptVariables } | { readonly why: string | undefined };

/** Reads no values. */
export async function findVariables(
  { earlierLog, entries }: Pick<ChosenSession, "earlierLog" | "entries">,
  { workspace: { settings, paths }, python }: Pick<KeepParts, "workspace"> & Pick<Services, "python">,
): Promise<FoundVariables> {
  if (earlierLog === undefined || !settings.python.keepState || python.host.isBorrowed)
    return { why: undefined };
  const { readKeptFile } = await import("../kernel/variables/kept-file.ts");
  const found = readKeptFile(variablesPath(earlierLog), paths.variablesKey);
  if (found === undefined) return { why: undefined };
  if ("refused" in found) return { why: found.refused };
  if (isLooser(python.sandbox, found.sandbox))
    return {
      why: `they are from a sandbox, and loading them outside would run what it held; to have them: --sandbox ${found.sandbox}`,
    };
  // What ran later is not in it: a mixture of two moments would be worse than nothing.
  // Also those whose results are not known: they may have run.
  const ranSince = entries.some(
    (entry) => entry.type === "tool_call" && entry.name === "python" && entry.at > found.savedAt,
  );
  if (ranSince) return { why: "omp was killed before it could keep them" };
  // By `omp sessions rewind`; its undo makes them the right ones again.
  const last = readSession(earlierLog).lastRewind?.entry;
  const isOtherMoment = last?.at !== undefined && last.at > found.savedAt && last.isUndo !== true;
  return isOtherMoment ? { why: "the session was taken back after they were kept" } : { kept: found };
}

/** For the user. `kept`: what is there again, and what could not be kept; else why there is nothing, where that is to be said. */
export interface VariablesFacts {
  readonly kept:
    | { readonly names: readonly string[]; readonly bytes: number; readonly notKept: KeptIndex["notKept"] }
    | undefined;
  readonly why: string | undefined;
}

export function variablesFacts(found: FoundVariables): VariablesFacts {
  if ("why" in found) return { kept: undefined, why: found.why };
  const { index } = found.kept;
  const kept = { names: keptNames(index), bytes: bytesOf(index), notKept: index.notKept };
  return { kept, why: undefined };
}

/** What the model reads of a session that is resumed; undefined when there is nothing to say. */
export function noticeOf(
  { earlierCwd, history, entries }: ChosenSession,
  { workspace, python }: Services,
  { found, toolNames }: { readonly found: FoundVariables; readonly toolNames: readonly string[] },
): string | undefined {
  if (earlierCwd === undefined || history.length === 0) return undefined;
  return resumedNotice({
    earlierCwd,
    cwd: workspace.cwd,
    toolNames,
    isKernelBorrowed: python.host.isBorrowed,
    variables: "kept" in found ? restoredSentence(found.kept.index) : undefined,
    entries,
  });
}

function restoredSentence(index: KeptIndex): string {
  const missing = listNotKept(index);
  return [
    `the Python variables and imports from before are there, and each is loaded when a cell first names it: ${listNames(keptNames(index))}.`,
    ...(missing === undefined ? [] : [`These could not be kept: ${missing}.`]),
    ...index.notes.map((note) => `Note: ${note}.`),
  ].join(" ");
}

export interface KeepParts {
  readonly log: SessionLog | undefined;
  readonly python: Pick<SessionPython, "held" | "seesOurFiles" | "sandbox">;
  readonly workspace: Pick<Workspace, "settings" | "paths">;
  /** The user does not want to wait. */
  readonly skip: AbortSignal | undefined;
  /** Called when it takes long. */
  readonly onSlow?: (() => void) | undefined;
}

/** Where no code has run, what was kept before stays. @returns lines about what was not kept. */
export async function keepAtEnd({ log, python, workspace, skip, onSlow }: KeepParts): Promise<string[]> {
  const { settings, paths } = workspace;
  if (!settings.python.keepState || log === undefined || log.isEmpty) return [];
  const held = await python.held();
  if (held === undefined) return [];
  // From here on what was kept before is outdated.
  removeVariables(log.path);
  if (held.isBusy) return [notKeptLine("a cell was still running")];
  const slow = onSlow && setTimeout(onSlow, SLOW_MS);
  try {
    const skipped = skip ?? new AbortController().signal;
    const kept = await keepIn(variablesPath(log.path), held.kernel, {
      session: log.id,
      sandbox: python.sandbox,
      keyFile: paths.variablesKey,
      lent: lentCloudpickle(paths),
      isVisible: python.seesOurFiles,
      limits: settings.python,
      skip: skipped,
    });
    const missing = listNotKept(kept.index);
    return missing === undefined ? [] : [`omp: Python variables that were not kept: ${missing}`];
  } catch (error) {
    const why = await describeFailure(error, skip);
    if (why === undefined) throw error;
    return [notKeptLine(why)];
  } finally {
    clearTimeout(slow);
  }
}

/** Where a kernel is told to write. */
interface KeepInOptions {
  readonly session: string;
  readonly sandbox: string;
  readonly keyFile: string;
  readonly lent: ReturnType<typeof lentCloudpickle>;
  readonly isVisible: boolean;
  readonly limits: Workspace["settings"]["python"];
  readonly skip: AbortSignal;
}

async function keepIn(path: string, kernel: Kernel, options: KeepInOptions): Promise<KeptVariables> {
  const { session, sandbox, keyFile, lent, isVisible, limits, skip } = options;
  const [{ KeptFile }, { keepVariables }] = await Promise.all([
    import("../kernel/variables/kept-file.ts"),
    import("../kernel/variables/keep-variables.ts"),
  ]);
  const seconds = limits.keepStateTimeout;
  const file = new KeptFile(path);
  try {
    const late = AbortSignal.timeout(seconds * 1000 + GRACE_MS);
    const given = AbortSignal.any([skip, AbortSignal.timeout(seconds * 1000 + GIVE_UP_MS)]);
    const keeping = keepVariables(kernel, {
      path: file.partial,
      isVisible,
      valueBytes: limits.keepStateValueMb * BYTES_PER_MB,
      totalBytes: limits.keepStateMb * BYTES_PER_MB,
      seconds,
      lent,
      signal: AbortSignal.any([skip, late]),
    });
    const { index, bytes } = await unlessAborted(keeping, given);
    return file.commit({ index, session, sandbox, savedAt: new Date().toISOString() }, bytes, keyFile);
  } finally {
    file.discard();
  }
}

function notKeptLine(why: string): string {
  return `omp: Python variables were not kept: ${why}`;
}

/** A clause; undefined for a bug. */
export async function describeFailure(
  error: unknown,
  skip: AbortSignal | undefined,
): Promise<string | undefined> {
  const { CallFailed } = await import("../kernel/variables/kernel-calls.ts");
  if (skip?.aborted === true) return "it was skipped";
  if (error instanceof DOMException && error.name === "TimeoutError") return "it took too long";
  if (error instanceof OmpError) return error.issue;
  if (error instanceof CallFailed) return error.message;
  const code = systemCode(error);
  return code === undefined ? undefined : `the file cannot be written (${code})`;
}
