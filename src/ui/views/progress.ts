/** A line about what is running and for how long, for what takes longer than a second. */

import { formatElapsed } from "../../format/durations.ts";
import type { Activity, CallItem, Retry, UiState } from "../store/state.ts";
import { clip, plainText, widthOf } from "../text/lines.ts";
import type { View } from "../view.ts";

/** For anything quicker, a line would only flicker. */
const LONG_MS = 1_000;

export function progressLines(state: UiState, { theme, width, now }: View): string[] {
  if (state.retry && state.question === undefined) return [retryLine(state.retry, { theme, width, now })];
  const current = doing(state);
  if (current === undefined || now - current.startedAt < LONG_MS) return [];
  const { dot, running, more } = theme.symbols;
  const { activity } = state;
  const total = activity === undefined ? 0 : now - activity.startedAt;
  const isPart = total - (now - current.startedAt) >= LONG_MS;
  const time = `${formatElapsed(now - current.startedAt)}${isPart ? ` of ${formatElapsed(total)}` : ""}`;
  const line = `${theme.yellow(running)} ${current.what} ${dot} ${time}`;
  const how = ` ${dot} ${INTERRUPT}`;
  const hasRoom = activity !== undefined && widthOf(line + how) <= width;
  return [hasRoom ? line + theme.dim(how) : clip(line, width, more)];
}

const INTERRUPT = "Esc to interrupt";

/** Fewer columns say nothing. */
const LEAST_REASON = 12;

function retryLine(
  { reason, attempt, attempts, at }: Retry,
  { theme, width, now }: Pick<View, "theme" | "width" | "now">,
): string {
  const { dot, running, more } = theme.symbols;
  const left = Math.ceil(Math.max(0, at - now) / 1_000);
  const when = left === 0 ? "Retrying now" : `Retrying in ${left} s`;
  const which = attempts === undefined ? `attempt ${attempt}` : `attempt ${attempt} of ${attempts}`;
  const line = `${theme.yellow(running)} ${when} ${dot} ${which}`;
  const how = ` ${dot} ${INTERRUPT}`;
  // The reason may be long, and comes after what the user can do in a narrow window.
  const room = width - widthOf(line + how);
  const why = clip(` ${dot} ${plainText(reason).replaceAll("\n", " ")}`, Math.max(0, room), more);
  return room < 0 ? clip(line, width, more) : `${line}${room < LEAST_REASON ? "" : why}${how}`;
}

/** Nothing while a question is open, which waits for the user. */
function doing(state: UiState): Activity | undefined {
  const { activity, tasks, facts } = state;
  if (state.question !== undefined) return undefined;
  const starting = { what: "starting the Python kernel", startedAt: facts.kernel.since };
  const isStarting = facts.kernel.state === "starting";
  if (activity === undefined) return isStarting ? starting : tasks[0];
  const call = state.live.find((item) => item.kind === "call" && item.result === undefined);
  if (call?.kind === "call")
    return call.name === "python" && isStarting
      ? starting
      : { what: `running ${call.name}`, startedAt: call.startedAt };
  if (activity.what !== WORKING) return activity;
  return { what: modelStep(state), startedAt: Math.max(activity.startedAt, lastEnd(state)) };
}

/** What a turn of the model is called. */
export const WORKING = "working";

function modelStep({ live }: UiState): string {
  const last = live.at(-1);
  if (last?.kind === "reasoning") return "thinking";
  return last?.kind === "assistant" ? "answering" : "waiting for the model";
}

/** When the newest call ended, which is when the model's step started. */
function lastEnd({ live, finished }: UiState): number {
  const isCall = (item: { readonly kind: string }): item is CallItem => item.kind === "call";
  const call = live.findLast(isCall) ?? finished.findLast(isCall);
  return call?.endedAt ?? 0;
}

/** Whether a running time is on the screen. */
export function isTimed({ activity, tasks, facts, question }: UiState): boolean {
  const { state } = facts.kernel;
  if (state === "starting" || state === "busy") return true;
  return (activity !== undefined && question === undefined) || tasks.length > 0;
}
