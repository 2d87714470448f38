/** Calls in the transcript: their questions, updates and results. Pure. */

import type { ToolResult } from "../../protocol/index.ts";
import { noOutput } from "./live-output.ts";
import type { CallItem, CallResult, Item, LiveOutput, UiState } from "./state.ts";

export function changeCall(state: UiState, callId: string, change: (item: CallItem) => CallItem): UiState {
  const live = changeLast(state.live, (call) => call.callId === callId, change);
  return live ? { ...state, live } : state;
}

/** Changes the newest call that fits. @returns undefined when there is none. */
function changeLast(
  items: readonly Item[],
  isWanted: (call: CallItem) => boolean,
  change: (call: CallItem) => CallItem,
): readonly Item[] | undefined {
  const index = items.findLastIndex((item) => item.kind === "call" && isWanted(item));
  const item = items[index];
  return item?.kind === "call" ? items.with(index, change(item)) : undefined;
}

/** Also of a call that has ended: pictures drawn again for another window size appear when the transcript is written again. */
export function withPictures(state: UiState, callId: string, pictures: CallItem["pictures"]): UiState {
  const isWanted = (call: CallItem) => call.callId === callId;
  const change = (call: CallItem) => ({ ...call, pictures });
  const live = changeLast(state.live, isWanted, change);
  if (live) return { ...state, live };
  const finished = changeLast(state.finished, isWanted, change);
  return finished ? { ...state, finished } : state;
}

/** The call that the question is about: the newest of its tool that has not ended. */
export function withAsked(state: UiState, tool: string | undefined): UiState {
  const isWanted = ({ name, result }: CallItem) => name === tool && result === undefined;
  const live = changeLast(state.live, isWanted, (call) => ({ ...call, isAsked: true }));
  return live ? { ...state, live } : state;
}

/** The call that waited for the answer starts now, if it is allowed. */
export function withAnswered(state: UiState, at: number): UiState {
  const live = state.live.map((item) =>
    item.kind === "call" && item.isAsked ? { ...item, isAsked: false, startedAt: at } : item,
  );
  return { ...state, live };
}

/** Of a call's own code: one more began or, with its result, ended. Those of nested calls themselves are not counted. */
export function withNested(state: UiState, { parent, name }: Nested, result?: ToolResult): UiState {
  return changeCall(state, parent, ({ nested, ...item }) => ({
    ...item,
    nested:
      result === undefined
        ? {
            ...nested,
            running: nested.running + 1,
            counts: { ...nested.counts, [name]: (nested.counts[name] ?? 0) + 1 },
          }
        : { ...nested, running: nested.running - 1, failed: nested.failed + (result.isError ? 1 : 0) },
  }));
}

interface Nested {
  readonly parent: string;
  readonly name: string;
}

/** How it ended; what it left is kept as far as a screen can use it. */
export function withResult(state: UiState, callId: string, result: ToolResult, at: number): UiState {
  return changeCall(state, callId, (item) => ({
    ...item,
    endedAt: at,
    isAsked: false,
    live: noOutput,
    result: keptResult(result, item.live),
  }));
}

/**
 * A log that was cut off by a kill or a crash has calls without a result. They no longer run anywhere, and the items after them would
 * never leave the live region.
 */
export function withoutUnended(state: UiState, at: number): UiState {
  const segments = [{ lines: 1, note: "omp exited before this call finished" }];
  return state.live.reduce(
    (next, item) =>
      item.kind === "call" && item.result === undefined
        ? withResult(next, item.callId, { isError: true, output: "", details: { segments } }, at)
        : next,
    state,
  );
}

/** The whole is in the artifact; this much is kept for looking at it again. */
const MAX_KEPT_CHARS = 32_000;

function keptResult({ isError, output, details, images }: ToolResult, { tail }: LiveOutput): CallResult {
  const cutAt = Math.max(0, output.length - MAX_KEPT_CHARS);
  const cutLines = output.slice(0, cutAt).split("\n").length - 1;
  const colored = tail.includes("\x1b[") ? tail : "";
  return {
    isError,
    output: output.slice(cutAt),
    cutLines,
    details,
    imageCount: images?.length ?? 0,
    colored,
  };
}
