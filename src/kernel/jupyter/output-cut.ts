/** Makes the message that says that output was dropped on its way. */

import { type KernelMessage, newMessage } from "../message.ts";
import { OUTPUT_CUT } from "../output-cut.ts";

export function outputCut(
  parentHeader: KernelMessage["parentHeader"],
  { session, reason }: { readonly session: string; readonly reason: string },
): KernelMessage {
  const message = newMessage({ channel: "iopub", type: OUTPUT_CUT, session, content: { reason } });
  return { ...message, parentHeader };
}
