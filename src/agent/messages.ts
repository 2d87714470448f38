/** Makes the agent's own messages, and words for the model what a message says in fields. */

import { type AssistantMessage, type Message, type UserMessage, userMessage } from "../protocol/index.ts";

const SUMMARY = "summary of the conversation so far";
/** What happened beside the conversation: the model reads it in brackets, a person as a notice. */
export function noticeMessage(kind: "announcement" | "resumed", notice: string): UserMessage {
  return userMessage(`[${notice}]`, { kind, notice });
}

export function summaryMessage(summary: string): UserMessage {
  return userMessage(`<${SUMMARY}>\n${summary}\n</${SUMMARY}>`, { kind: "summary" });
}

/** What the user interrupted of a turn, as far as they have seen it. */
export function interruptedMessage(text: string): AssistantMessage {
  return { role: "assistant", content: [{ type: "text", text }], isInterrupted: true };
}

export function repetitionMessage(turns: number, stopAfter: number): UserMessage {
  const note = `this call has had the same result ${turns} times in a row; do something else, or answer`;
  return userMessage(`[${note}. After ${stopAfter} times the run is stopped.]`, { kind: "repetition" });
}

const interruption = noticeMessage("announcement", "the user interrupted your answer here");

/**
 * As a request carries them. The note that an answer was interrupted is on the user's side: a model takes what is in its own turns for
 * its own words, and starts to write the same.
 */
export function messagesForModel(history: readonly Message[]): Message[] {
  return history.flatMap((message) =>
    message.role === "assistant" && message.isInterrupted === true ? [message, interruption] : [message],
  );
}
