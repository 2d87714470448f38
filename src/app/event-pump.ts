/** Every event of a session passes here: it is logged first, then delivered. */

import { isLogged } from "../history/entry.ts";
import type { SessionLog } from "../history/log.ts";
import { type AgentEvent, OmpError } from "../protocol/index.ts";

/**
 * Persist, then deliver: what the user has seen is in the log, or an error says that it cannot be written. The error is delivered
 * once: the log writes what is missing when it can.
 */
export async function* pump(
  events: AsyncIterable<AgentEvent>,
  log: SessionLog | undefined,
): AsyncGenerator<AgentEvent, void, void> {
  let isWritable = true;
  for await (const event of events) {
    try {
      log?.append(event);
      if (isLogged(event)) isWritable = true;
    } catch (error) {
      if (!(error instanceof OmpError)) throw error;
      if (isWritable) yield { type: "error", code: error.code, message: error.message };
      isWritable = false;
    }
    yield event;
  }
}
