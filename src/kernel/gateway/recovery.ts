/**
 * After a reconnection: finds out what was missed. The kernel is asked what it published meanwhile and whether it is still the same
 * one, and then, queued after what runs, for an answer that shows that everything before is over, so that no cell waits for a lost end.
 * Code is never run twice: it is sent again only when the kernel says that it never got it.
 */

import { within } from "../../async/within.ts";
import type { JupyterClient } from "../jupyter/client.ts";
import type { Exchange } from "../jupyter/exchange.ts";
import { messageFrom } from "../jupyter/wire.ts";
import { type KernelMessage, type MessageContent, outputCutMessage } from "../message.ts";
import type { Replay } from "./replay.ts";

/** Code that holds the interpreter lock delays the answer; output is held back for no longer than this. */
const RECALL_MS = 5_000;

export interface RecoveryParts {
  readonly client: JupyterClient;
  readonly replay: Replay;
  readonly running: Exchange | undefined;
  /** Before the connection broke: a restarted process has another one. */
  readonly kernelSession: string | undefined;
  /** False when the connection has broken again: then the next recovery is in charge. */
  readonly isCurrent: () => boolean;
  readonly onRestarted: () => void;
}

export async function recover(parts: RecoveryParts): Promise<void> {
  const { client, isCurrent } = parts;
  const before = client.open;
  const recalled = recall(parts);
  const identity = client.request("control", "kernel_info_request", {});
  const probe = client.request("shell", "kernel_info_request", {});
  void identity.reply().then(
    ({ content, header }) => {
      const isAnswer = isCurrent() && content["status"] === "ok";
      if (isAnswer && header.session !== parts.kernelSession) parts.onRestarted();
    },
    () => undefined,
  );
  await recalled;
  await probe.ended;
  if (!isCurrent()) return;
  for (const exchange of before) {
    if (exchange !== parts.running && !exchange.hasEnded) client.concludeLost(exchange);
  }
  await settleRunning(parts);
}

/** The kernel has answered what was asked after the cell, so the cell has ended, or never arrived. */
async function settleRunning(parts: RecoveryParts): Promise<void> {
  const { client, running } = parts;
  if (!running || running.hasEnded) return;
  const begun = await recall(parts);
  if (!parts.isCurrent() || running.hasEnded) return;
  if (begun && !begun.includes(running.id)) client.sendAgain(running);
  else client.concludeLost(running);
}

/** Replays what the kernel remembers; resolves with the executions that it has started, or undefined when it does not say. */
async function recall(parts: RecoveryParts): Promise<readonly unknown[] | undefined> {
  const { client, replay, isCurrent } = parts;
  replay.hold();
  const request = client.request("control", "omp_recall_request", { after: replay.lastId ?? null });
  if (!(await within(request.ended, RECALL_MS)) && isCurrent()) {
    reportCut(parts, "the connection broke, and the kernel does not say what was missed");
    replay.release([]);
    return undefined;
  }
  const content = await request.reply().then(
    (reply) => reply.content,
    () => undefined,
  );
  if (!isCurrent() || content?.["status"] !== "ok") return undefined;
  takeRecalled(parts, content);
  return Array.isArray(content["begun"]) ? content["begun"] : undefined;
}

function takeRecalled(parts: RecoveryParts, content: MessageContent): void {
  const { client, replay, running } = parts;
  const list = Array.isArray(content["messages"]) ? content["messages"] : [];
  // Before the rest, which may hold the cell's end.
  if (content["complete"] !== true)
    reportCut(parts, "the connection broke, and more was printed than the kernel keeps");
  replay.release(list.flatMap(recalledMessage));
  const { request, reply } = content;
  if (!running || running.hasReply || request !== running.id || typeof reply !== "object" || !reply) return;
  client.answer(running, reply as MessageContent);
}

function recalledMessage(value: unknown): KernelMessage[] {
  const { header, parent_header, metadata, content } = value as Record<string, MessageContent>;
  const result = messageFrom("iopub", [header ?? {}, parent_header ?? {}, metadata ?? {}, content ?? {}], []);
  return result.ok ? [result.message] : [];
}

function reportCut({ client, running }: RecoveryParts, reason: string): void {
  if (!running || running.hasEnded) return;
  const parent = { msg_id: running.id, session: client.session };
  client.receive(outputCutMessage(parent, { session: client.session, reason }));
}
