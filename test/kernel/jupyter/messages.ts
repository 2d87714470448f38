/** Messages as a kernel would send them, for tests below the socket. */

import {
  type Channel,
  type KernelMessage,
  type MessageContent,
  newMessage,
} from "../../../src/kernel/message.ts";

/** Answers `parent` (a message id, or nothing) on a channel. */
export function answer(
  channel: Channel,
  type: string,
  options: { parent?: string; session?: string; content?: MessageContent } = {},
): KernelMessage {
  const message = newMessage({ channel, type, session: "kernel", content: options.content ?? {} });
  const parentHeader = {
    ...(options.parent === undefined ? {} : { msg_id: options.parent }),
    ...(options.session === undefined ? {} : { session: options.session }),
  };
  return { ...message, parentHeader };
}

export function idle(parent: string): KernelMessage {
  return answer("iopub", "status", { parent, content: { execution_state: "idle" } });
}

export function executeReply(parent: string): KernelMessage {
  return answer("shell", "execute_reply", { parent, content: { status: "ok", execution_count: 1 } });
}

export function stream(parent: string, text: string, session?: string): KernelMessage {
  return answer("iopub", "stream", {
    parent,
    content: { name: "stdout", text },
    ...(session === undefined ? {} : { session }),
  });
}
