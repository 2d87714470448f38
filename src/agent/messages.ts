/** Makes the agent's own messages, and words for the model what a message says in fields. */

import { type Message, type UserMessage, userMessage } from "../protocol/index.ts";

const SUMMARY = "summary of the conversation so far";
const INTERRUPTED = "\n[interrupted by the user]";

/** What happened beside the conversation: the model reads it in brackets, a person as a notice. */
export function noticeMessage(kind: "announcement" | "resumed", notice: string): UserMessage {
  return userMessage(`[${notice}]`, { kind, notice });
}

export function summaryMessage(summary: string): UserMessage {
  return userMessage(`<${SUMMARY}>\n${summary}\n</${SUMMARY}>`, { kind: "summary" });
}

/** As a request carries it. */
export function messageForModel(message: Message): Message {
  if (message.role !== "assistant" || message.isInterrupted !== true) return message;
  const content = message.content.map((part) =>
    part.type === "text" ? { ...part, text: part.text + INTERRUPTED } : part,
  );
  return { ...message, content };
}
