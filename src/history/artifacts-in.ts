/** Which artifacts a session's calls have made: the fields of their details that are called so. */

import { SessionError } from "./errors.ts";
import { readSession } from "./read.ts";

/** None for a log that cannot be read: its artifacts go when they are old. */
export function artifactsIn(path: string): ReadonlySet<string> {
  return new Set(
    entriesIn(path).flatMap((entry) => {
      if (entry.type === "tool_result") return artifactIds(entry.result.details);
      const origin = entry.type === "user" ? entry.message.origin : undefined;
      return origin?.kind === "ran" ? (origin.artifacts ?? []) : [];
    }),
  );
}

function entriesIn(path: string) {
  try {
    return readSession(path).entries;
  } catch (error) {
    if (!(error instanceof SessionError)) throw error;
    return [];
  }
}

/** `artifact`, `stderrArtifact` and the like, at any depth. */
export function artifactIds(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, field]) =>
    typeof field === "string" && /artifact$/i.test(name) ? [field] : artifactIds(field),
  );
}
