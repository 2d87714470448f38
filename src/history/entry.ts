/**
 * The lines of a session's log. Append-only: the lines are the session. Streamed deltas are not kept, only what
 * they add up to.
 */

import type { AgentEvent, ToolResult } from "../protocol/index.ts";
import { isRecord } from "../protocol/record.ts";

/** Of the logs that this omp writes. A higher one may mean things that this omp would lose or get wrong. */
export const LOG_VERSION = 1;

/** Always the first line. */
export interface SessionHeader {
  readonly type: "session";
  readonly version: typeof LOG_VERSION;
  readonly id: string;
  readonly cwd: string;
  readonly createdAt: string;
  /** The session that this one was forked from, or whose subagent it is. */
  readonly parent?: string;
  /** The subagent's name. */
  readonly agent?: string;
}

/** An omp works on the session from here on; what kernels and shells held before is gone. */
export interface OpenedEntry {
  readonly type: "opened";
  readonly pid: number;
  readonly cwd: string;
}

/** That omp is done with it. Missing after a crash. */
export interface ClosedEntry {
  readonly type: "closed";
  readonly pid: number;
}

/** What can be taken back to the moment of the entry: what there was before a prompt, or before a call that may change something. */
export interface CheckpointEntry extends Moment {
  readonly type: "checkpoint";
  /** The call; without one it is about the prompt before it. */
  readonly call?: string;
}

/** The state of a session at a moment. What is absent could not be kept. */
export interface Moment {
  readonly files?: { readonly snapshot: string; readonly root: string };
  /** The id of a checkpoint of the kernel; null when there was no kernel. */
  readonly variables?: string | null;
  /** The persistent shell: a name of its state, for as long as its omp runs, and its directory; null before its first command. */
  readonly shell?: { readonly state: string; readonly directory: string | null };
}

/** The user went back: of the entries before it, only the first ones count. */
export interface RewoundEntry {
  readonly type: "rewound";
  /** How many, without those that an earlier return left out. */
  readonly keep: number;
  /** How everything else was before, where it was taken back, too. */
  readonly before?: Moment;
  /** It took back an earlier return. */
  readonly isUndo?: boolean;
}

const loggedTypes = [
  "user",
  "assistant",
  "tool_call",
  "tool_result",
  "compacted",
  "notice",
  "error",
  "end",
] as const;

/** The events that make up a conversation. */
export type LoggedEvent = Extract<AgentEvent, { type: (typeof loggedTypes)[number] }>;

export type SessionEntry = (LoggedEvent | OpenedEntry | ClosedEntry | CheckpointEntry | RewoundEntry) & {
  readonly at: string;
};

/** Of stdout and stderr alone, which the output has as well: `exec` has up to a megabyte of them. */
const MAX_STREAM_CHARS = 10_000;

/** The event as the log keeps it: without large copies of what it has already. */
export function withoutCopies(event: LoggedEvent): LoggedEvent {
  if (event.type === "tool_call" && event.parent !== undefined)
    return { ...event, input: nestedInput(event.input) };
  if (event.type !== "tool_result") return event;
  if (event.parent !== undefined) return { ...event, result: nestedResult(event.result) };
  const { stdout, stderr, ...details } = event.result.details;
  const chars = [stdout, stderr].reduce<number>((sum, text) => sum + String(text ?? "").length, 0);
  return chars <= MAX_STREAM_CHARS ? event : { ...event, result: { ...event.result, details } };
}

/** Of a nested call's texts, which only its code has written and read: a loop may make thousands of calls. */
const MAX_NESTED_CHARS = 2_000;

function nestedInput(input: unknown): unknown {
  if (!isRecord(input)) return input;
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      typeof value === "string" ? nestedText(value) : value,
    ]),
  );
}

function nestedText(text: string): string {
  const left = text.length - MAX_NESTED_CHARS;
  return left <= 0
    ? text
    : `${text.slice(0, MAX_NESTED_CHARS)}\n[… ${left} more characters, for the cell alone]`;
}

function nestedResult({ output, details, images = [], ...rest }: ToolResult): ToolResult {
  const { stdout, stderr, ...facts } = details;
  return {
    ...rest,
    output: nestedText(output),
    details: images.length === 0 ? facts : { ...facts, imageCount: images.length },
  };
}

export function isLogged(event: { readonly type: string }): event is LoggedEvent {
  return loggedTypes.some((type) => type === event.type);
}
