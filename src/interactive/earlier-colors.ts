/**
 * The colours of output in a resumed session. The log has what the model read, which is plain; artifacts have what was printed, and the screen takes
 * the colours of a line from there as it does while the call runs.
 */

import { asRecord } from "../protocol/record.ts";
import type { UiEvent } from "../ui/store/event.ts";

/** Enough for what the screen shows of a call without being asked. */
const TAIL_BYTES = 16_000;
/** The newest ones: an opened session must not wait for thousands of files. */
const MOST_CALLS = 200;

/** Puts what each call printed, where it was coloured, before its result. @param pathOf the file of an artifact that is still there. */
export async function withColors(
  events: readonly UiEvent[],
  pathOf: (artifact: string) => string | undefined,
): Promise<UiEvent[]> {
  const results = events.filter((event) => artifactOf(event) !== undefined);
  const newest = new Set(results.slice(-MOST_CALLS));
  const all: UiEvent[] = [];
  for (const event of events) {
    const artifact = artifactOf(event);
    if (event.type === "tool_result" && artifact !== undefined && newest.has(event)) {
      const text = await coloredTail(pathOf(artifact));
      if (text !== undefined) all.push({ type: "tool_update", id: event.id, text });
    }
    all.push(event);
  }
  return all;
}

function artifactOf(event: UiEvent): string | undefined {
  if (event.type !== "tool_result") return undefined;
  const artifact = asRecord(event.result.details)["artifact"];
  return typeof artifact === "string" ? artifact : undefined;
}

async function coloredTail(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  const text = await Bun.file(path)
    .slice(-TAIL_BYTES)
    .text()
    .catch(() => "");
  return text.includes("\x1b[") ? text : undefined;
}
