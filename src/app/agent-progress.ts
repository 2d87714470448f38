/** What a subagent is doing, as lines under its call. */

import type { AgentEvent } from "../protocol/index.ts";

/** Undefined for what is not worth a line. */
export function progressLine(
  event: AgentEvent,
  { summaryOf }: { readonly summaryOf: (name: string, input: unknown) => string },
): string | undefined {
  switch (event.type) {
    case "tool_call":
      return event.parent === undefined ? `${event.name} ${summaryOf(event.name, event.input)}` : undefined;
    case "tool_result":
      return event.parent === undefined && event.result.isError ? `${event.name} failed` : undefined;
    case "retry":
      return event.reason;
    case "notice":
      return event.text;
    case "error":
      return event.message;
    default:
      return undefined;
  }
}
