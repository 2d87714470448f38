/** Jupyter messages as values. Version 5.3 of the protocol; unknown types pass through unchanged. */

import { v4 as uuid } from "uuid";

export type Channel = "shell" | "iopub" | "control" | "stdin";

export interface MessageHeader {
  readonly msg_id: string;
  readonly msg_type: string;
  readonly session: string;
  readonly username: string;
  readonly date: string;
  readonly version: string;
}

export type MessageContent = Readonly<Record<string, unknown>>;

export interface KernelMessage {
  readonly channel: Channel;
  readonly header: MessageHeader;
  /** Empty for messages that answer nothing, such as the first `status: starting`. */
  readonly parentHeader: Partial<MessageHeader>;
  readonly metadata: MessageContent;
  readonly content: MessageContent;
  readonly buffers: readonly Uint8Array[];
}

const PROTOCOL_VERSION = "5.3";

export function newMessage(options: {
  readonly channel: Channel;
  readonly type: string;
  readonly session: string;
  readonly content: MessageContent;
  readonly metadata?: MessageContent;
}): KernelMessage {
  return {
    channel: options.channel,
    header: {
      msg_id: uuid(),
      msg_type: options.type,
      session: options.session,
      username: "omp",
      date: new Date().toISOString(),
      version: PROTOCOL_VERSION,
    },
    parentHeader: {},
    metadata: options.metadata ?? {},
    content: options.content,
    buffers: [],
  };
}

/**
 * The type of a message that omp itself adds to a cell's messages: output was dropped between the kernel and omp. What precedes and
 * follows it is real; what is missing is gone. `content.reason` says in one clause what dropped it, and what would help.
 */
export const OUTPUT_CUT = "omp_output_cut";

export function outputCutMessage(
  parentHeader: KernelMessage["parentHeader"],
  { session, reason }: { readonly session: string; readonly reason: string },
): KernelMessage {
  return {
    ...newMessage({ channel: "iopub", type: OUTPUT_CUT, session, content: { reason } }),
    parentHeader,
  };
}
