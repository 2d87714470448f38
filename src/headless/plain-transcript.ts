/** A conversation as it happens, as plain text: for a line prompt, and for the tour where there is no terminal. */

import { formatWait } from "../format/durations.ts";
import type { AgentEvent } from "../protocol/index.ts";

export class PlainTranscript {
  /** Calls whose output has been shown while they ran; the others show theirs at their end. */
  readonly #shown = new Set<string>();

  /** What an event adds; empty for most. */
  textOf(event: AgentEvent): string {
    switch (event.type) {
      case "text_delta":
        return event.text;
      case "tool_call":
        return `\n[${event.name}] ${JSON.stringify(event.input)}\n`;
      case "tool_update":
        this.#shown.add(event.id);
        return event.text;
      case "tool_result": {
        const wasShown = this.#shown.delete(event.id);
        const { isError, output } = event.result;
        if (isError) return `\n[${event.name} failed] ${output}\n`;
        return wasShown ? "\n" : `${output}\n`;
      }
      case "retry":
        return `\n[again in ${formatWait(event.delayMs)}: ${event.reason}]\n`;
      case "error":
        return `\n${event.message}\n`;
      case "end":
        return event.status === "interrupted" ? "\n[interrupted]\n" : "\n";
      default:
        return "";
    }
  }
}
