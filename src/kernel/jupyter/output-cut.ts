/**
 * A message of our own making among a cell's messages: something between the kernel and us has dropped output. What came before and
 * after it is real; what is missing is gone.
 */

import { type KernelMessage, newMessage } from "./message.ts";

export const OUTPUT_CUT = "omp_output_cut";

/** @param reason one clause for people: who cut, and what would help. */
export function outputCut(
  parentHeader: KernelMessage["parentHeader"],
  { session, reason }: { readonly session: string; readonly reason: string },
): KernelMessage {
  const message = newMessage({ channel: "iopub", type: OUTPUT_CUT, session, content: { reason } });
  return { ...message, parentHeader };
}
