/** A conversation as it happens, as plain text: for a line prompt, and for the tour where there is no terminal. */

import { formatWait } from "../format/durations.ts";
import { formatTokens } from "../format/numbers.ts";
import { type AgentEvent, outputPieces, type ToolDetails } from "../protocol/index.ts";

export class PlainTranscript {
  /** Calls whose output has been shown while they ran; the others show theirs at their end. */
  readonly #shown = new Set<string>();

  /** What an event adds; empty for most. */
  textOf(event: AgentEvent): string {
    // A loop may make thousands: what it prints of them is shown.
    if ("parent" in event) return "";
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
        const { result, name } = event;
        const pieces = outputPieces(result).filter(({ kind }) => kind === "note" || !wasShown);
        const head = result.isError ? [`[${name}: ${describeFailure(result.details)}]`] : [];
        const lines = [...head, ...pieces.map(({ text }) => text)];
        return `${wasShown || result.isError ? "\n" : ""}${lines.map((line) => `${line}\n`).join("")}`;
      }
      case "retry":
        return `\n[retrying in ${formatWait(event.delayMs)}: ${event.reason}]\n`;
      case "compacted":
        return `\n[the conversation (${formatTokens(event.tokensBefore)} tokens) was replaced by a summary]\n`;
      case "notice":
        return `\n[${event.text}]\n`;
      case "error":
        return `\n${event.message}\n`;
      case "end":
        return event.status === "interrupted" ? "\n[interrupted]\n" : "\n";
      default:
        return "";
    }
  }
}

function describeFailure({ timedOut, cancelled, exitCode, signal }: ToolDetails): string {
  if (timedOut === true) return "timed out";
  if (cancelled === true) return "interrupted";
  if (typeof exitCode === "number" && exitCode !== 0) return `exit code ${exitCode}`;
  return typeof signal === "string" ? signal : "failed";
}
