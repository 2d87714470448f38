/** What the user reads when a session is resumed: what is there again, what is not, and why. */

import type { AgentSession } from "../app/agent-session.ts";
import { count, formatSize } from "../format/numbers.ts";

const MAX_NAMED = 10;

export function resumedText({ sessionId, toolNames, services, variables }: AgentSession): string {
  const hasOwnKernel = toolNames.includes("python") && !services.python.host.isBorrowed;
  const hasShell = toolNames.includes("bash");
  const { kept, why } = variables;
  const lost =
    hasOwnKernel && kept === undefined
      ? [`Python variables${hasShell ? " and shell state" : ""} were not restored${because(why)}.`]
      : hasShell
        ? ["Shell state was not restored."]
        : [];
  const restored = hasOwnKernel && kept !== undefined ? keptSentences(kept) : [];
  return [`Resumed ${sessionId?.slice(0, 8) ?? "the session"}.`, ...restored, ...lost].join(" ");
}

function because(why: string | undefined): string {
  return why === undefined ? "" : ` (${why})`;
}

function keptSentences({
  names,
  bytes,
  notKept,
}: NonNullable<AgentSession["variables"]["kept"]>): readonly string[] {
  const missing = notKept.slice(0, MAX_NAMED).map(({ name, type }) => `${name} (${type})`);
  const more = notKept.length > MAX_NAMED ? ` and ${notKept.length - MAX_NAMED} more` : "";
  return [
    `${count(names.length, "Python variable")} restored (${formatSize(bytes)}, loaded when used).`,
    ...(missing.length === 0 ? [] : [`Not kept: ${missing.join(", ")}${more}.`]),
  ];
}
