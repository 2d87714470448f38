/**
 * Logs of omp 0.1, whose messages had no fields for where they came from and how they ended: that was part of their text. This is the
 * only place that reads it out of the text, by the exact words that 0.1 wrote.
 */

import {
  type AssistantMessage,
  type MessageOrigin,
  messageText,
  type UserMessage,
} from "../protocol/index.ts";
import type { SessionEntry } from "./entry.ts";

const RAN = /^<user_ran tool="(\w+)">\n([\s\S]*?)\n<\/user_ran>\n<output>\n/;
const RESUMED = /^\[(This session was resumed: [^\n]*)\]$/;
const ANNOUNCEMENT = /^\[(background shell bash_\d+ (?:was killed|completed|failed)[^\n]*)\]$/;
const STDIN = /(?:^|\n\n)<stdin>\n[\s\S]*<\/stdin>$/;
const INTERRUPTED = "\n[interrupted by the user]";

export function upgraded(entry: SessionEntry): SessionEntry {
  switch (entry.type) {
    case "user":
      return entry.message.origin === undefined
        ? { ...entry, message: { ...entry.message, origin: originIn(entry.message) } }
        : entry;
    case "assistant":
      return entry.reason === "other" ? { ...entry, message: withInterruption(entry.message) } : entry;
    default:
      return entry;
  }
}

function originIn(message: UserMessage): MessageOrigin {
  const text = messageText(message);
  const [, tool, code] = RAN.exec(text) ?? [];
  if (tool !== undefined && code !== undefined) return { kind: "ran", tool, code };
  const [, resumed] = RESUMED.exec(text) ?? [];
  if (resumed !== undefined) return { kind: "resumed", notice: resumed };
  const [, announcement] = ANNOUNCEMENT.exec(text) ?? [];
  if (announcement !== undefined) return { kind: "announcement", notice: announcement };
  return { kind: STDIN.test(text) ? "stdin" : "typed" };
}

function withInterruption(message: AssistantMessage): AssistantMessage {
  const [part, ...others] = message.content;
  if (part?.type !== "text" || others.length > 0 || !part.text.endsWith(INTERRUPTED)) return message;
  const text = part.text.slice(0, -INTERRUPTED.length);
  return { ...message, content: [{ ...part, text }], isInterrupted: true };
}
