/** One line a message for `PI_PYTHON_IPC_TRACE`: enough to follow a conversation, never the key, never whole outputs. */

import type { KernelMessage } from "../message.ts";

const MAX_CONTENT_CHARS = 200;

export type TraceLine = (line: string) => void;

export function traceLine(direction: "->" | "<-", message: KernelMessage): string {
  const { channel, header, parentHeader, buffers } = message;
  const parent = parentHeader.msg_id ? ` for ${parentHeader.msg_id.slice(0, 8)}` : "";
  const binary = buffers.length > 0 ? ` +${buffers.length} buffers` : "";
  const content = abridge(message.content);
  return `${direction} ${channel} ${header.msg_type} ${header.msg_id.slice(0, 8)}${parent}${binary} ${content}`;
}

/** Cuts long strings before they are serialised: a 100 MB output is never turned into JSON for a trace. */
function abridge(content: unknown): string {
  const text = JSON.stringify(content, (_key, value: unknown) =>
    typeof value === "string" && value.length > MAX_CONTENT_CHARS
      ? `${value.slice(0, MAX_CONTENT_CHARS)}… (${value.length} chars)`
      : value,
  );
  return text.length > 4 * MAX_CONTENT_CHARS ? `${text.slice(0, 4 * MAX_CONTENT_CHARS)}…` : text;
}
