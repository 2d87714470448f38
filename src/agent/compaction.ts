/**
 * Makes room in the model's context: the conversation so far becomes a summary that the model itself writes, followed by the
 * newest messages as they were.
 */

import type { Message, Model, ModelRequest, Usage } from "../protocol/index.ts";

/** Beyond this part of the context the next request might not fit together with its answer. */
const FULL_AT = 0.8;
/** Messages at the end that stay as they are, as far as they do not begin with an answer whose call is gone. */
const KEPT_MESSAGES = 6;

export interface Compaction {
  readonly summary: string;
  readonly history: Message[];
  readonly usage: Usage;
}

export function isNearlyFull(usedTokens: number, contextTokens: number): boolean {
  return usedTokens > contextTokens * FULL_AT;
}

export async function compact(options: {
  readonly model: Model;
  readonly history: readonly Message[];
  /** What the model is told to write. */
  readonly instruction: string;
  readonly signal: AbortSignal;
}): Promise<Compaction> {
  const { model, history, instruction, signal } = options;
  const request: ModelRequest = {
    system: instruction,
    // As text: without tools a provider refuses calls in the history, and the summary needs no exact form.
    messages: [
      { role: "user", content: [{ type: "text", text: `${transcript(history)}\n\n${instruction}` }] },
    ],
    tools: [],
    signal,
  };
  for await (const event of model.stream(request)) {
    if (event.type !== "finish") continue;
    const summary = event.message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
    return { summary, history: [summaryMessage(summary), ...newest(history)], usage: event.usage };
  }
  throw new Error("a model's turn ended without its message");
}

export function summaryMessage(summary: string): Message {
  const text = `<summary of the conversation so far>\n${summary}\n</summary of the conversation so far>`;
  return { role: "user", content: [{ type: "text", text }] };
}

/** From the first user message among the last few, so that no call is separated from its answer. */
function newest(history: readonly Message[]): Message[] {
  const tail = history.slice(-KEPT_MESSAGES);
  const start = tail.findIndex(({ role }) => role === "user");
  return start < 0 ? [] : tail.slice(start);
}

const MAX_TEXT_CHARS = 2_000;

function transcript(history: readonly Message[]): string {
  return history.map(lines).join("\n\n");
}

function lines(message: Message): string {
  if (message.role === "tool") return `[result of ${message.name}]\n${shorten(message.output)}`;
  const parts = message.content.map((part) => {
    switch (part.type) {
      case "text":
        return part.text;
      case "tool_call":
        return `[call of ${part.name}] ${shorten(JSON.stringify(part.input))}`;
      case "image":
        return "[picture]";
      default:
        return "";
    }
  });
  return `${message.role}: ${parts.filter((part) => part !== "").join("\n")}`;
}

function shorten(text: string): string {
  if (text.length <= MAX_TEXT_CHARS) return text;
  return `${text.slice(0, MAX_TEXT_CHARS / 2)}\n…\n${text.slice(-MAX_TEXT_CHARS / 2)}`;
}
