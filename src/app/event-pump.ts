/** Every event of a session passes here: it is logged first, then delivered. */

import { isLogged } from "../history/entry.ts";
import type { SessionLog } from "../history/log.ts";
import { isPrompt } from "../history/prompts.ts";
import { type AgentEvent, OmpError } from "../protocol/index.ts";
import type { SessionMoments } from "./moments.ts";

/**
 * Persist, then deliver: what the user has seen is in the log, or an error says that it cannot be written. The error is delivered
 * once: the log writes what is missing when it can.
 * @param moments told when a prompt is in the log, before anything is done about it.
 */
export async function* pump(
  events: AsyncIterable<AgentEvent>,
  log: SessionLog | undefined,
  moments?: Pick<SessionMoments, "settled" | "beforePrompt">,
): AsyncGenerator<AgentEvent, void, void> {
  let isWritable = true;
  for await (const event of events) {
    // What belongs to the last prompt is in the log before the next one.
    if (isPrompt(event)) await moments?.settled();
    try {
      log?.append(event);
      if (isLogged(event)) isWritable = true;
    } catch (error) {
      if (!(error instanceof OmpError)) throw error;
      if (isWritable) yield { type: "error", code: error.code, message: error.message };
      isWritable = false;
    }
    if (isPrompt(event)) moments?.beforePrompt();
    yield event;
  }
}
