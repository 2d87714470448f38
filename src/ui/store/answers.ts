/**
 * What the model says, as it arrives and when it is whole. Text that has been followed by something else can no longer change, so it is
 * finished at once; the whole message then adds only what is missing. Pure.
 */

import type { AssistantMessage } from "../../protocol/index.ts";
import type { Item, TextItem, UiState } from "./state.ts";

type Kind = "assistant" | "reasoning";

type OpenText = TextItem & { readonly kind: Kind };

/** Of the message that is being received, the texts that are finished. */
export type Received = Readonly<Record<Kind, string>>;

export const nothingReceived: Received = { assistant: "", reasoning: "" };

/** Adds a piece of text. Pieces of one kind make one item, until the other kind or the whole message arrives. */
export function withDelta(state: UiState, kind: Kind, text: string, at: number): UiState {
  const last = state.live.at(-1);
  if (isOpenText(last) && last.kind === kind)
    return { ...state, live: [...state.live.slice(0, -1), { ...last, text: last.text + text }] };
  const { nextId } = state;
  const item: TextItem = { kind, id: `item-${nextId}`, text, isOpen: true, startedAt: at };
  return { ...closed(state, at), nextId: nextId + 1, live: [...closed(state, at).live, item] };
}

/** The item that was being received cannot change any more. */
function closed(state: UiState, at: number): UiState {
  const last = state.live.at(-1);
  if (!isOpenText(last)) return state;
  const received = { ...state.received, [last.kind]: state.received[last.kind] + last.text };
  return { ...state, received, live: [...state.live.slice(0, -1), withTime(last, at)] };
}

function withTime({ startedAt, ...item }: TextItem, at: number): TextItem {
  return { ...item, isOpen: false, ...(startedAt === undefined ? {} : { tookMs: at - startedAt }) };
}

/**
 * The items of a whole message that are not there yet. What continues an item that was being received keeps its id, so that the screen
 * knows what of it has been printed.
 */
export function missingItems(
  { live, received, nextId }: UiState,
  { content }: AssistantMessage,
  at: number,
): TextItem[] {
  const open = live.findLast(isOpenText);
  const parts = textParts(content, { areJoined: open !== undefined });
  const left: Record<Kind, string> = { ...received };
  let isContinued = false;
  let id = nextId;
  return parts.flatMap(({ kind, text }) => {
    const rest = withoutStart(text, left[kind]);
    left[kind] = left[kind].slice(text.length - rest.length);
    if (rest.trim() === "") return [];
    const isSame = !isContinued && open?.kind === kind;
    isContinued ||= isSame;
    const item = { kind, id: `item-${id}`, text: rest, isOpen: false };
    if (open && isSame) return [withTime({ ...open, text: rest }, at)];
    id += 1;
    return [item];
  });
}

/** What follows the start that is there already; all of it where it starts otherwise. */
function withoutStart(text: string, start: string): string {
  if (start.startsWith(text)) return "";
  return text.startsWith(start) ? text.slice(start.length) : text;
}

/** @param areJoined as they were received: without a sign of where one part ended and the next began. */
function textParts(content: AssistantMessage["content"], { areJoined }: { readonly areJoined: boolean }) {
  const parts: { kind: Kind; text: string }[] = [];
  for (const part of content) {
    if (part.type === "tool_call") continue;
    const kind = part.type === "text" ? "assistant" : "reasoning";
    const last = parts.at(-1);
    if (areJoined && last?.kind === kind) last.text += part.text;
    else parts.push({ kind, text: part.text });
  }
  return parts;
}

export function isOpenText(item: Item | undefined): item is OpenText {
  return item !== undefined && "isOpen" in item && item.isOpen;
}
