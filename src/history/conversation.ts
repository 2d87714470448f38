/** A log as something to read: prompts, answers and calls with their results, in order. */

import {
  type ImagePart,
  noticesIn,
  shownText,
  type ToolDetails,
  type UserMessage,
} from "../protocol/index.ts";
import type { SessionEntry } from "./entry.ts";

export type Passage = { readonly at: string } & (
  | { readonly kind: "user"; readonly text: string; readonly images: readonly ImagePart[] }
  /** What the user ran, as the model read it. */
  | { readonly kind: "ran"; readonly tool: string; readonly text: string }
  | { readonly kind: "reasoning" | "assistant" | "note"; readonly text: string }
  | ToolPassage
);

export interface ToolPassage {
  readonly kind: "tool";
  readonly name: string;
  readonly input: unknown;
  /** Undefined when omp ended before there was one. */
  readonly output: string | undefined;
  /** What the call changed in a file, as a unified diff. */
  readonly diff: string | undefined;
  readonly isError: boolean;
  readonly images: readonly ImagePart[];
  /** Those that its own code made. */
  readonly nested: readonly ToolPassage[];
}

type Call = Extract<SessionEntry, { type: "tool_call" }>;
type Result = Extract<SessionEntry, { type: "tool_result" }>;

/** What belongs to a call. */
interface CallParts {
  result?: Result;
  readonly nested: Call[];
}

export function passagesOf(entries: readonly SessionEntry[]): Passage[] {
  const calls = callsIn(entries);
  return entries.flatMap((entry): Passage[] => {
    const { at } = entry;
    switch (entry.type) {
      case "user":
        // A notice tells the person.
        return entry.message.origin.kind === "repetition" ? [] : userPassages(entry.message, at);
      case "assistant":
        return entry.message.content.flatMap((part): Passage[] => {
          if (part.type === "tool_call" || part.text.trim() === "") return [];
          return [{ kind: part.type === "text" ? "assistant" : "reasoning", at, text: part.text }];
        });
      case "tool_call":
        return entry.parent === undefined ? [{ at, ...toolPassage(entry, calls) }] : [];
      case "compacted":
        return [{ kind: "note", at, text: `The conversation so far was compacted:\n\n${entry.summary}` }];
      case "notice":
        return [{ kind: "note", at, text: entry.text }];
      case "error":
        return [{ kind: "note", at, text: entry.message }];
      case "end":
        return entry.status === "interrupted" ? [{ kind: "note", at, text: "Interrupted by the user." }] : [];
      default:
        return [];
    }
  });
}

function diffIn({ diff }: ToolDetails = {}): string | undefined {
  return typeof diff === "string" ? diff : undefined;
}

function userPassages(message: UserMessage, at: string): Passage[] {
  const notes = noticesIn(message).map((text): Passage => ({ kind: "note", at, text }));
  return [userPassage(message, at), ...notes];
}

function userPassage(message: UserMessage, at: string): Passage {
  const { origin, content } = message;
  const text = shownText(message);
  switch (origin.kind) {
    case "ran":
      return { kind: "ran", at, tool: origin.tool, text };
    case "announcement":
      // With the answer of the subagent.
      return { kind: "note", at, text: origin.agent === undefined ? origin.notice : text };
    case "resumed":
      return { kind: "note", at, text: origin.notice };
    default:
      return { kind: "user", at, text, images: content.filter((part) => part.type === "image") };
  }
}

function toolPassage(call: Call, calls: ReadonlyMap<SessionEntry, CallParts>): ToolPassage {
  const { result, nested = [] } = calls.get(call) ?? {};
  return {
    kind: "tool",
    name: call.name,
    input: call.input,
    output: result?.result.output,
    diff: diffIn(result?.result.details),
    isError: result?.result.isError ?? true,
    images: result?.result.images ?? [],
    nested: nested.map((inner) => toolPassage(inner, calls)),
  };
}

/** Ids may repeat in later turns: a result, or a nested call, belongs to the last call of its id before it. */
function callsIn(entries: readonly SessionEntry[]): ReadonlyMap<SessionEntry, CallParts> {
  const newest = new Map<string, CallParts>();
  const found = new Map<SessionEntry, CallParts>();
  for (const entry of entries) {
    if (entry.type === "tool_call") {
      const parts: CallParts = { nested: [] };
      if (entry.parent !== undefined) newest.get(entry.parent)?.nested.push(entry);
      newest.set(entry.id, parts);
      found.set(entry, parts);
    } else if (entry.type === "tool_result") {
      const parts = newest.get(entry.id);
      if (parts) parts.result = entry;
    }
  }
  return found;
}

/** Text for a document or a terminal: without colours, and without control characters, which could do harm. */
export function plainText(text: string): string {
  return Bun.stripANSI(text)
    .replaceAll("\r\n", "\n")
    .replace(/(?![\n\t])\p{Cc}/gu, "\ufffd");
}
