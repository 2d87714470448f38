/** The prompts of a session, which it can be taken back to, and what is known of the moment of each. */

import { messageText, type UserMessage } from "../protocol/index.ts";
import { asRecord } from "../protocol/record.ts";
import type { Moment, SessionEntry } from "./entry.ts";

export interface Prompt {
  /** From 1. */
  readonly number: number;
  readonly text: string;
  /** Of its entry. */
  readonly index: number;
  readonly at: string;
}

export function promptsIn(entries: readonly SessionEntry[]): Prompt[] {
  let number = 0;
  return entries.flatMap((entry, index) => {
    if (!isPrompt(entry)) return [];
    number += 1;
    return [{ number, text: messageText(entry.message), index, at: entry.at }];
  });
}

/** What the user asked, and not what they ran or what omp told the model. */
export function isPrompt<Entry extends { readonly type: string }>(
  entry: Entry,
): entry is Extract<Entry, { type: "user" }> {
  const { type, message } = entry as { readonly type: string; readonly message?: UserMessage };
  return type === "user" && (message?.origin.kind === "typed" || message?.origin.kind === "stdin");
}

/** The state before a prompt: of its own checkpoint, or of the one before its first call, where that has more. */
export function momentOf(entries: readonly SessionEntry[], { index }: Pick<Prompt, "index">): Moment {
  let found: Moment = {};
  for (const [at, entry] of entries.slice(index).entries()) {
    if (at > 0 && isPrompt(entry)) break;
    if (entry.type !== "checkpoint") continue;
    const { files, variables, shell } = entry;
    found = {
      ...(files && { files }),
      ...(variables !== undefined && { variables }),
      ...(shell && { shell }),
      ...found,
    };
    if (entry.call !== undefined) break;
  }
  return found;
}

export interface Dropped {
  readonly prompts: number;
  readonly calls: number;
}

/** What a return to a prompt leaves out of the conversation. */
export function droppedFrom(entries: readonly SessionEntry[], { index }: Pick<Prompt, "index">): Dropped {
  const rest = entries.slice(index);
  const calls = rest.filter((entry) => entry.type === "tool_call" && entry.parent === undefined);
  return { prompts: rest.filter(isPrompt).length, calls: calls.length };
}

/** The Python that was run before a prompt, since the kernel was last empty: by the model, and by the user. Not what ran in branches. */
export function cellsBefore(entries: readonly SessionEntry[], { index }: Pick<Prompt, "index">): string[] {
  let cells: string[] = [];
  const denied = deniedCalls(entries);
  for (const entry of entries.slice(0, index)) {
    if (entry.type === "opened") cells = [];
    if (
      entry.type === "user" &&
      entry.message.origin.kind === "ran" &&
      entry.message.origin.tool === "python" &&
      entry.message.origin.branch === undefined
    )
      cells.push(entry.message.origin.code);
    if (entry.type !== "tool_call" || entry.name !== "python" || entry.parent !== undefined) continue;
    const { cells: given, reset, branch } = asRecord(entry.input);
    if (branch !== undefined || denied.has(entry.id)) continue;
    if (reset === true) cells = [];
    const codes = Array.isArray(given) ? given.map((cell) => asRecord(cell)["code"]) : [];
    cells.push(...codes.filter((code) => typeof code === "string"));
  }
  return cells;
}

/** They never ran. */
function deniedCalls(entries: readonly SessionEntry[]): ReadonlySet<string> {
  return new Set(
    entries.flatMap((entry) =>
      entry.type === "tool_result" && asRecord(entry.result.details)["approval"] === "denied"
        ? [entry.id]
        : [],
    ),
  );
}
