/** A conversation as text, for a model that is to sum it up: long texts keep their ends, and the whole keeps to a limit. */

import type { Message } from "../protocol/index.ts";
import { messagesForModel } from "./messages.ts";

const MAX_SAID_CHARS = 8_000;
const MAX_TOOL_CHARS = 2_000;

export function transcript(history: readonly Message[], maxChars: number): string {
  return shortened(messagesForModel(history).map(textOf).join("\n\n"), maxChars);
}

function textOf(message: Message): string {
  if (message.role === "tool")
    return `[result of ${message.name}]\n${shortened(message.output, MAX_TOOL_CHARS)}`;
  const parts = message.content.map((part) => {
    switch (part.type) {
      case "text":
        return shortened(part.text, MAX_SAID_CHARS);
      case "tool_call":
        return `[call of ${part.name}] ${shortened(JSON.stringify(part.input ?? null), MAX_TOOL_CHARS)}`;
      case "image":
        return "[image]";
      default:
        return "";
    }
  });
  return `${message.role}: ${parts.filter((part) => part !== "").join("\n")}`;
}

/** The end counts more than the beginning, and the beginning more than the middle. */
export function shortened(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const start = Math.floor(maxChars / 3);
  const left = text.length - maxChars;
  return `${text.slice(0, start)}\n[… ${left} characters left out …]\n${text.slice(start - maxChars)}`;
}
