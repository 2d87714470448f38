/**
 * Jupyter servers drop output that arrives too fast (1 MB/s by default) and say so in a line on stderr, after which the cell ends as if
 * nothing had happened. That line becomes a message of its own kind.
 */

import { type KernelMessage, outputCutMessage } from "../message.ts";

const NOTICE = /^IOPub (data|message) rate exceeded\./;

export interface NoticeContext {
  readonly gateway: string;
  /** Ours: the server uses it for its own messages. */
  readonly session: string;
  /** The kernel's: what the kernel itself prints is never a notice, whatever it says. */
  readonly kernelSession: string | undefined;
  /** For a notice that does not say which cell it is about. */
  readonly running: string | undefined;
}

/** The message unchanged, or the notice instead of it. */
export function readRateNotice(message: KernelMessage, context: NoticeContext): KernelMessage {
  const { header, content, parentHeader } = message;
  if (header.msg_type !== "stream" || header.session === context.kernelSession) return message;
  const text = content["text"];
  const what = typeof text === "string" ? NOTICE.exec(text)?.[1] : undefined;
  if (what === undefined) return message;
  const option = what === "data" ? "iopub_data_rate_limit" : "iopub_msg_rate_limit";
  const { gateway, session, running } = context;
  const reason = `gateway ${gateway} dropped part of it because it arrived too fast; print less, or have ${option} raised there`;
  const parent = parentHeader.msg_id !== undefined ? parentHeader : { msg_id: running ?? "", session };
  return outputCutMessage(parent, { session, reason });
}
