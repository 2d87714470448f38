/** The request that makes a checkpoint of a kernel that has booted (`checkpoints.py`), and what it answers. */

import { asRecord } from "../../protocol/record.ts";
import { bootKey, describeProblem, silentRequest } from "./init-code.ts";

const CHECKPOINT_MIME = "application/x-omp-checkpoint";

/** The content of the execute_request that makes a checkpoint, which then listens on a Unix socket of this name. */
export function checkpointRequest(socket: string) {
  const argument = JSON.stringify(JSON.stringify({ socket }));
  return silentRequest(`__import__("sys").modules["_omp.checkpoints"].take(${argument})`);
}

/** What the copy will not have, or why there is none; a string is what went wrong in the kernel, in one line. */
export function readCheckpointReply(
  content: Record<string, unknown>,
): { readonly notHeld: readonly string[] } | { readonly refusal: string } | string {
  const answer = asRecord(asRecord(content["user_expressions"])[bootKey]);
  const result = asRecord(answer["data"])[CHECKPOINT_MIME];
  if (result === undefined) return describeProblem(content, answer);
  return result as { readonly notHeld: readonly string[] } | { readonly refusal: string };
}
