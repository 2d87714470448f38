/** A log as something to read: prompts, answers and calls with their results, in order. */

import { type ImagePart, messageText, type ToolDetails, type UserMessage } from "../protocol/index.ts";
import type { SessionEntry } from "./entry.ts";

export type Passage = { readonly at: string } & (
  | { readonly kind: "user"; readonly text: string; readonly images: readonly ImagePart[] }
  /** What the user ran, as the model read it. */
  | { readonly kind: "ran"; readonly tool: string; readonly text: string }
  | { readonly kind: "reasoning" | "assistant" | "note"; readonly text: string }
  | {
      readonly kind: "tool";
      readonly name: string;
      readonly input: unknown;
      /** Undefined when omp ended before there was one. */
      readonly output: string | undefined;
      /** What the call changed in a file, as a unified diff. */
      readonly diff: string | undefined;
      readonly isError: boolean;
      readonly images: readonly ImagePart[];
    }
);

type Result = Extract<SessionEntry, { type: "tool_result" }>;

export function passagesOf(entries: readonly SessionEntry[]): Passage[] {
  const results = resultsByCall(entries);
  return entries.flatMap((entry): Passage[] => {
    const { at } = entry;
    switch (entry.type) {
      case "user":
        // A notice tells the person.
        return entry.message.origin.kind === "repetition" ? [] : [userPassage(entry.message, at)];
      case "assistant":
        return entry.message.content.flatMap((part): Passage[] => {
          if (part.type === "tool_call" || part.text.trim() === "") return [];
          return [{ kind: part.type === "text" ? "assistant" : "reasoning", at, text: part.text }];
        });
      case "tool_call": {
        const result = results.get(entry)?.result;
        return [
          {
            kind: "tool",
            at,
            name: entry.name,
            input: entry.input,
            output: result?.output,
            diff: diffIn(result?.details),
            isError: result?.isError ?? true,
            images: result?.images ?? [],
          },
        ];
      }
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

function userPassage(message: UserMessage, at: string): Passage {
  const { origin, content } = message;
  const text = messageText(message);
  switch (origin.kind) {
    case "ran":
      return { kind: "ran", at, tool: origin.tool, text };
    case "announcement":
    case "resumed":
      return { kind: "note", at, text: origin.notice };
    default:
      return { kind: "user", at, text, images: content.filter((part) => part.type === "image") };
  }
}

/** Ids may repeat in later turns: a result belongs to the last call of its id before it. */
function resultsByCall(entries: readonly SessionEntry[]): ReadonlyMap<SessionEntry, Result> {
  const waiting = new Map<string, SessionEntry>();
  const found = new Map<SessionEntry, Result>();
  for (const entry of entries) {
    if (entry.type === "tool_call") waiting.set(entry.id, entry);
    if (entry.type !== "tool_result") continue;
    const call = waiting.get(entry.id);
    if (call !== undefined) found.set(call, entry);
  }
  return found;
}

/** Text for a document or a terminal: without colours, and without control characters, which could do harm. */
export function plainText(text: string): string {
  return Bun.stripANSI(text)
    .replaceAll("\r\n", "\n")
    .replace(/(?![\n\t])\p{Cc}/gu, "\ufffd");
}
