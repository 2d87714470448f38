/**
 * State and event to the next state: the only place where the transcript changes. Pure; the time is given.
 *
 * Items are born live, and move to `finished` in their order as soon as nothing before them can still change.
 */

import { formatTokens } from "../../format/numbers.ts";
import { type AgentEvent, noticesIn, shownText, type Usage, type UserMessage } from "../../protocol/index.ts";
import { isOpenText, missingItems, nothingReceived, withDelta } from "./answers.ts";
import {
  changeCall,
  withAnswered,
  withAsked,
  withNested,
  withoutUnended,
  withPictures,
  withResult,
} from "./calls.ts";
import type { UiEvent } from "./event.ts";
import { withCells, withKernel, withNestedSpent, withTask, withUsage } from "./facts.ts";
import { addOutput, noOutput, startCell } from "./live-output.ts";
import { openQuestion } from "./question-state.ts";
import { endNotices, interruption, type Notice } from "./run-end.ts";
import { type Item, type NoticeItem, noNestedCalls, type Redraw, type UiState } from "./state.ts";

export function reduce(state: UiState, event: UiEvent, at: number): UiState {
  switch (event.type) {
    case "user":
      return withUser(withNestedUsage(state, event.usage), event.message);
    case "text_delta":
      return settle(withDelta(withoutRetry(state), "assistant", event.text, at));
    case "reasoning_delta":
      return settle(withDelta(withoutRetry(state), "reasoning", event.text, at));
    case "retry":
      return withRetry(state, event, at);
    case "assistant":
      return withAnswer(withoutRetry(state), event, at);
    case "tool_call":
      return event.parent === undefined
        ? withCall(state, event, at)
        : withNested(state, { parent: event.parent, name: event.name });
    case "tool_update":
      return changeCall(state, event.id, ({ live, ...item }) => ({
        ...item,
        live: event.cell === undefined ? addOutput(live, event.text) : startCell(live, event.cell, at),
      }));
    case "pictures":
      return withPictures(state, event.id, event.pictures);
    case "tool_result":
      return event.parent === undefined
        ? settle(
            withCells(
              withResult(withNestedUsage(state, event.usage), event.id, event.result, at),
              event.result.details,
            ),
          )
        : withNested(
            withNestedUsage(state, event.usage),
            { parent: event.parent, name: event.name },
            event.result,
          );
    case "compacted":
      return withSummary(state, event);
    case "notice":
      return notice(state, event.tone ?? "info", event.text);
    case "error":
      return notice({ ...withoutRetry(withoutOpen(state)), waiting: [] }, "error", event.message);
    case "end":
      return ended(state, event, at);
    case "started":
      return { ...state, activity: { what: event.what, startedAt: at }, hint: undefined };
    case "stopped":
      return { ...withoutRetry(state), activity: undefined, waiting: [] };
    case "queued":
      return { ...state, queued: event.texts };
    case "asked":
      return { ...withAsked(state, event.question.tool), question: openQuestion(event.question) };
    case "question_changed":
      return state.question?.id === event.id
        ? { ...state, question: { ...state.question, ...event.change } }
        : state;
    case "answered":
      return state.question?.id === event.id ? { ...withAnswered(state, at), question: undefined } : state;
    case "input":
      return { ...state, input: event.prompt };
    case "picker_opened":
      return { ...state, picker: event.picker };
    case "picker_changed": {
      const { id, filter, chosen } = event;
      return state.picker?.id === id ? { ...state, picker: { ...state.picker, filter, chosen } } : state;
    }
    case "picker_closed":
      return state.picker?.id === event.id ? { ...state, picker: undefined } : state;
    case "answer":
      return added(state, (id) => {
        const { title, text, rows = [] } = event;
        return { kind: "plain", id, title, text, rows };
      });
    case "help":
      return added(state, (id) => ({ kind: "help", id, title: event.title, text: event.text }));
    case "task":
      return { ...state, tasks: withTask(state.tasks, event, at) };
    case "restored":
      return restored(state, event, at);
    case "facts":
      return { ...state, facts: { ...state.facts, ...event.facts } };
    case "kernel":
      return { ...state, facts: { ...state.facts, kernel: withKernel(state.facts.kernel, event, at) } };
    case "resized":
      // What is in the scrollback stays as it was written: the terminal itself fits it to the new width.
      return { ...state, size: { columns: event.columns, rows: event.rows }, isResizing: true };
    case "resize_settled":
      return { ...state, isResizing: false };
    case "expand_toggled":
      return { ...state, isExpanded: !state.isExpanded };
    case "redraw_asked":
      return redrawn(state, event.what ?? "visible");
    case "cleared":
      return redrawn({ ...state, finished: [] }, "gone");
    case "hint":
      return { ...state, hint: event.text };
    case "handed_back":
      return { ...state, handedBack: { text: event.text, count: state.handedBack.count + 1 } };
    case "ending":
      return {
        ...state,
        isEnding: true,
        question: undefined,
        picker: undefined,
        hint: undefined,
        queued: [],
      };
  }
}

function restored(
  state: UiState,
  { events, notes = [] }: Extract<UiEvent, { type: "restored" }>,
  at: number,
): UiState {
  const logged = restoredItems(state, events, at);
  const before: UiState = { ...settle(withoutUnended(logged, at)), waiting: [] };
  return notes.reduce(withNotice, before);
}

/** What is finished is set aside event by event: added to a list of all before it, each item would copy that list. */
function restoredItems(state: UiState, events: readonly UiEvent[], at: number): UiState {
  const finished = [...state.finished];
  const last = events.reduce<UiState>(
    (next, event) => {
      const { finished: settled, ...rest } = reduceLogged(next, event, at);
      finished.push(...settled);
      return { ...rest, finished: [] };
    },
    { ...state, finished: [] },
  );
  return { ...last, finished };
}

/** What was shown when it happened, and is not an event of the log, is read out of its messages. */
function reduceLogged(state: UiState, event: UiEvent, at: number): UiState {
  const next = reduce(state, event, at);
  if (event.type === "user" && "notice" in event.message.origin)
    return notice(next, "info", event.message.origin.notice);
  return event.type === "assistant" && event.message.isInterrupted === true
    ? withNotice(next, interruption(undefined))
    : next;
}

function redrawn(state: UiState, what: Redraw["what"]): UiState {
  return { ...state, redraw: { count: state.redraw.count + 1, what } };
}

function withUser(state: UiState, message: UserMessage): UiState {
  switch (message.origin.kind) {
    // For the model: the user has seen the code and its output, or was shown a notice when it happened.
    case "ran":
    case "announcement":
    case "resumed":
    case "repetition":
    case "summary":
      return state;
    default: {
      const hasPicture = message.content.some(({ type }) => type === "image");
      const text = shownText(message) || (hasPicture ? "[image]" : "");
      const index = state.queued.indexOf(text);
      const queued = index < 0 ? state.queued : state.queued.toSpliced(index, 1);
      const said =
        text === ""
          ? { ...state, queued }
          : added({ ...state, queued }, (id) => ({ kind: "user", id, text, isOpen: false }));
      return noticesIn(message).reduce((next, words) => notice(next, "info", words), said);
    }
  }
}

/** The whole message replaces what was streamed of it. */
function withAnswer(state: UiState, event: Extract<AgentEvent, { type: "assistant" }>, at: number): UiState {
  const items = missingItems(state, event.message, at);
  const kept = withoutOpen(state);
  const next = settle({ ...kept, nextId: kept.nextId + items.length, live: [...kept.live, ...items] });
  const waiting = event.message.content.flatMap((part) =>
    part.type === "tool_call" ? [{ callId: part.id, name: part.name, input: part.input }] : [],
  );
  return { ...next, waiting, facts: withUsage(next.facts, event.usage) };
}

/** What was printed of the answer stays, so that it is said that it starts again. */
function withRetry(state: UiState, event: Extract<AgentEvent, { type: "retry" }>, at: number): UiState {
  const { reason, attempt, attempts, delayMs } = event;
  const hasBegun = state.live.some(isOpenText) || state.received !== nothingReceived;
  const retry = { reason, attempt: attempt + 1, attempts, at: at + delayMs };
  const next = { ...withoutOpen(state), retry };
  const words = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}; starting the answer again`;
  return hasBegun ? notice(next, "warning", words) : next;
}

function withoutRetry(state: UiState): UiState {
  return state.retry === undefined ? state : { ...state, retry: undefined };
}

function withSummary(state: UiState, event: Extract<AgentEvent, { type: "compacted" }>): UiState {
  const { tokensBefore, tokensAfter = state.facts.usedTokens, usage } = event;
  const facts = usage ? withUsage(state.facts, usage) : state.facts;
  const text = `The conversation so far (${formatTokens(tokensBefore)} tokens) was replaced by a summary.`;
  return notice({ ...state, facts: { ...facts, usedTokens: tokensAfter } }, "info", text);
}

function withNestedUsage(state: UiState, usage: Usage | undefined): UiState {
  return usage === undefined ? state : { ...state, facts: withNestedSpent(state.facts, usage) };
}

function withCall(
  state: UiState,
  { id: callId, name, input, by = "model" }: Extract<UiEvent, { type: "tool_call" }>,
  startedAt: number,
): UiState {
  const waiting = state.waiting.filter((call) => call.callId !== callId);
  return added({ ...state, waiting }, (id) => ({
    kind: "call",
    id,
    callId,
    name,
    input,
    by,
    startedAt,
    isAsked: false,
    endedAt: undefined,
    live: noOutput,
    nested: noNestedCalls,
    pictures: [],
    result: undefined,
  }));
}

function ended(state: UiState, event: Extract<AgentEvent, { type: "end" }>, at: number): UiState {
  const idle = { ...withoutRetry(withoutOpen(state)), activity: undefined, waiting: [] };
  return endNotices({ ...idle, activity: state.activity }, event, at).reduce(withNotice, idle);
}

/** Drops what was streamed of a message: the turn starts again, or has ended without it. */
function withoutOpen(state: UiState): UiState {
  const live = state.live.filter((item) => !isOpenText(item));
  return settle({ ...state, received: nothingReceived, live });
}

function notice(state: UiState, tone: NoticeItem["tone"], text: string): UiState {
  return withNotice(state, { tone, text });
}

function withNotice(state: UiState, { tone, text }: Notice): UiState {
  return added(state, (id) => ({ kind: "notice", id, tone, text }));
}

function added(state: UiState, make: (id: string) => Item): UiState {
  const item = make(`item-${state.nextId}`);
  return settle({ ...state, nextId: state.nextId + 1, live: [...state.live, item] });
}

function settle(state: UiState): UiState {
  const first = state.live.findIndex(isChanging);
  const count = first < 0 ? state.live.length : first;
  if (count === 0) return state;
  const [done, live] = [state.live.slice(0, count), state.live.slice(count)];
  return { ...state, finished: [...state.finished, ...done], live };
}

function isChanging(item: Item): boolean {
  return item.kind === "call" ? item.result === undefined : isOpenText(item);
}
