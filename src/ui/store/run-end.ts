/** What is said at the end of a run: that it was interrupted, or what it took. Pure. */

import { formatElapsed } from "../../format/durations.ts";
import { count, formatDollars } from "../../format/numbers.ts";
import type { AgentEvent, Usage } from "../../protocol/index.ts";
import type { NoticeItem, UiState } from "./state.ts";

export type Notice = Pick<NoticeItem, "tone" | "text">;

/** What takes less is not worth a word. */
const LONG_MS = 1_000;

/** @param state of the run's last moment, with its activity. */
export function endNotices(
  { activity, finished }: UiState,
  { status, usage }: Extract<AgentEvent, { type: "end" }>,
  at: number,
): Notice[] {
  const ms = activity && at - activity.startedAt;
  if (status === "interrupted") return [interruption(ms)];
  const limit: Notice[] =
    status === "turn_limit" ? [{ tone: "warning", text: "Stopped: the turn limit was reached." }] : [];
  if (activity === undefined || ms === undefined) return limit;
  const calls = finished.filter(
    (item) => item.kind === "call" && item.by === "model" && item.startedAt >= activity.startedAt,
  );
  const text = runSummary(ms, calls.length, usage);
  return text === "" ? limit : [...limit, { tone: "info", text }];
}

/** @param ms how long it ran, where that is known. */
export function interruption(ms: number | undefined): Notice {
  const after = ms === undefined || ms < LONG_MS ? "" : ` after ${formatElapsed(ms)}`;
  return { tone: "stopped", text: `Interrupted${after}` };
}

/** `12 s · 3 calls · $0.012`, as far as there is something to say. */
function runSummary(ms: number, calls: number, { costUsd = 0 }: Usage): string {
  const facts = [
    ms < LONG_MS ? "" : formatElapsed(ms),
    calls === 0 ? "" : count(calls, "call"),
    costUsd === 0 ? "" : formatDollars(costUsd),
  ];
  return facts.filter((fact) => fact !== "").join(" · ");
}
