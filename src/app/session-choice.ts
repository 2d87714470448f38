/** Which session log a conversation is kept in, and what is known about an earlier session. */

import { summaryMessage } from "../agent/messages.ts";
import type { OmpPaths } from "../config/paths.ts";
import type { SessionEntry } from "../history/entry.ts";
import { SessionError } from "../history/errors.ts";
import { historyOf } from "../history/history.ts";
import type { SessionLog } from "../history/log.ts";
import { SessionStore } from "../history/store.ts";
import type { SessionSummary } from "../history/summary.ts";
import type { Message } from "../protocol/index.ts";

export type SessionChoice =
  | { readonly kind: "new" }
  | { readonly kind: "none" }
  /** A subagent's. */
  | { readonly kind: "agent"; readonly agent: string; readonly parent: string }
  /** The newest of this directory. */
  | { readonly kind: "continue" }
  /** The user picks one; where that is impossible, the newest of this directory. */
  | { readonly kind: "pick" }
  | { readonly kind: "resume"; readonly id: string }
  | { readonly kind: "fork"; readonly id: string };

export interface ChosenSession {
  /** Undefined when nothing is kept. */
  readonly log: SessionLog | undefined;
  readonly entries: readonly SessionEntry[];
  readonly history: readonly Message[];
  /** Where an earlier conversation was last; undefined for a new one. */
  readonly earlierCwd: string | undefined;
  /** The session that this one is a copy of, where it was copied just now. */
  readonly copyOf?: string;
  /** The path of its log. */
  readonly earlierLog?: string;
  /** Lines for the user. */
  readonly note: string | undefined;
}

/** Throws SessionError. */
export function openChosenSession(choice: SessionChoice, paths: OmpPaths, cwd: string): ChosenSession {
  const nothing = { entries: [], history: [], earlierCwd: undefined, note: undefined };
  if (choice.kind === "none") return { log: undefined, ...nothing };
  const store = new SessionStore(paths);
  if (choice.kind === "new") return { ...nothing, ...newSession(store, cwd) };
  if (choice.kind === "agent") {
    const { agent, parent } = choice;
    return { ...nothing, ...newSession(store, cwd, { agent, parent }) };
  }
  const earlier = "id" in choice ? store.find(choice.id) : store.newest(cwd);
  if (earlier === undefined) {
    const note = "omp: no earlier session in this directory; started a new one";
    return { ...nothing, note, ...newSession(store, cwd) };
  }
  return reopen(earlier, store, cwd, choice.kind === "fork");
}

/** If the log cannot be written, the conversation continues without one, as it does when the disk fills up later, and the note says so. */
function newSession(
  store: SessionStore,
  cwd: string,
  origin: Pick<SessionSummary, "agent" | "parent"> = {},
): Pick<ChosenSession, "log"> & { readonly note?: string } {
  try {
    return { log: store.create(cwd, origin) };
  } catch (error) {
    if (!(error instanceof SessionError) || error.kind !== "unwritable") throw error;
    return { log: undefined, note: error.message };
  }
}

/** A copy of a session, open for writing; the original may still be open. */
export function forkLog(id: string, paths: OmpPaths, cwd: string, keep?: number): SessionLog {
  const store = new SessionStore(paths);
  return store.fork(store.find(id), cwd, keep).log;
}

function reopen(earlier: SessionSummary, store: SessionStore, cwd: string, isFork: boolean): ChosenSession {
  const { log, content } = isFork ? store.fork(earlier, cwd) : store.resume(earlier, cwd);
  const { entries, header, badLines } = content;
  const lastOpened = entries.findLast((entry) => entry.type === "opened");
  return {
    log,
    entries,
    history: historyOf(entries, summaryMessage),
    earlierCwd: lastOpened?.cwd ?? header.cwd,
    ...(isFork ? { copyOf: header.id } : {}),
    earlierLog: earlier.path,
    note:
      [...damageLine(header.id, badLines), ...(isFork ? [] : lostAgentsLine(entries))].join("\n") ||
      undefined,
  };
}

function damageLine(id: string, badLines: number): string[] {
  return badLines === 0 ? [] : [`omp: ${badLines} damaged lines of session ${id} were skipped`];
}

/** One that ends in an orderly way says so itself. */
function lostAgentsLine(entries: readonly SessionEntry[]): string[] {
  const agents = unannouncedAgents(entries);
  if (agents.length === 0) return [];
  return [`omp: subagents that were lost when omp was killed: ${agents.join(", ")}`];
}

/** What the model reads when a session is resumed; undefined when nothing was lost. */
export function resumedNotice(options: {
  readonly earlierCwd: string;
  readonly cwd: string;
  readonly toolNames: readonly string[];
  /** Whether it is an existing kernel, which may hold anything. */
  readonly isKernelBorrowed: boolean;
  /** The variables that it gets again, in words; undefined when there are none. */
  readonly variables: string | undefined;
  /** What omp has written until then. */
  readonly entries: readonly SessionEntry[];
}): string | undefined {
  const { earlierCwd, cwd, toolNames, isKernelBorrowed, variables, entries } = options;
  const agents = unannouncedAgents(entries);
  const hasPython = toolNames.includes("python");
  const lost = [
    ...(hasPython && !isKernelBorrowed && variables === undefined ? ["the Python kernel's variables"] : []),
    ...(toolNames.includes("bash") ? ["the shell's state and background shells"] : []),
  ];
  const sentences = [
    ...(lost.length > 0
      ? [`${lost.join(" and ")} from before are gone; files are as they are on disk.`]
      : []),
    ...(hasPython && variables !== undefined ? [variables] : []),
    ...(hasPython && isKernelBorrowed
      ? ["the Python kernel is one that was running already: look at what it holds."]
      : []),
    ...(agents.length === 0
      ? []
      : [`omp ended while subagents worked in the background: ${agents.join(", ")} did not get done.`]),
    ...(earlierCwd === cwd ? [] : [`the working directory was ${earlierCwd} and is now ${cwd}.`]),
  ];
  return sentences.length === 0 ? undefined : `This session was resumed: ${sentences.join(" Also, ")}`;
}

/** The subagents that the last omp of a session had started in the background, and whose end it could not tell any more. */
function unannouncedAgents(entries: readonly SessionEntry[]): readonly string[] {
  const working = new Set<string>();
  for (const entry of entries) {
    if (entry.type === "opened") working.clear();
    if (entry.type === "tool_result") {
      const { agent, background } = entry.result.details;
      if (background === true && typeof agent === "string") working.add(agent);
    }
    if (entry.type === "user" && entry.message.origin.kind === "announcement")
      working.delete(entry.message.origin.agent ?? "");
  }
  return [...working];
}
