/**
 * The live region: everything below the scrollback, in one block that is never higher than the screen. Items that still change are cut
 * first: their end is shown, and all of them is printed when they are done.
 */

import { count } from "../../format/numbers.ts";
import { isEmptyPrompt, type PromptState } from "../input/prompt-state.ts";
import { heading } from "../renderers/parts.ts";
import { isCodeInQuestion } from "../renderers/python.ts";
import { listIn, textIn } from "../renderers/renderer.ts";
import type { CommandRow } from "../store/actions.ts";
import type { Item, UiState } from "../store/state.ts";
import { clip, widthOf } from "../text/lines.ts";
import type { Block, View } from "../view.ts";
import { itemLines } from "./item.ts";
import { pickerBlock } from "./picker.ts";
import { progressLines } from "./progress.ts";
import { menuLines, promptBlock } from "./prompt.ts";
import { questionLines } from "./question.ts";
import { spaced } from "./spacing.ts";
import { queuedLines, statusLine } from "./status.ts";

export interface FrameOptions {
  readonly state: UiState;
  readonly prompt: PromptState;
  readonly commands: readonly CommandRow[];
  readonly view: View;
  /** Leaves out what has been printed above already. */
  readonly unprinted?: (item: Item, lines: readonly string[]) => readonly string[];
  /** No empty line is right above the frame. */
  readonly isTightAbove?: boolean;
}

export function frame(options: FrameOptions): Block {
  const { state, prompt, commands, view } = options;
  if (state.isEnding) return { lines: [], cursor: undefined };
  if (state.isResizing) return resizingBlock(prompt, view);
  // Two lines stay free: a frame as high as the screen makes the terminal scroll, and tmux keeps what is erased from the first line on.
  const room = Math.max(4, state.size.rows - 2);
  const status = statusLine(state.facts, state.hint, view);
  const block = state.picker ? pickerBlock(state.picker, view, room) : askedBlock(state, prompt, view, room);
  const isPrompt = !state.picker && block.cursor !== undefined;
  const menu = isPrompt ? menuLines(prompt, commands, view, room - block.lines.length - 1) : [];
  const below = menu.length > 0 ? menu : state.picker ? [] : [status];
  const left = room - block.lines.length - below.length;
  const progress = progressLines(state, view).slice(0, Math.max(0, left));
  const isAsking = state.question !== undefined;
  const queued = queuedLines(state.queued, view, { maxRows: 4, isAsking }).slice(
    0,
    Math.max(0, left - progress.length),
  );
  const waiting = waitingLines(state, view).slice(0, Math.max(0, left - progress.length - queued.length));
  const liveRoom = left - progress.length - queued.length - waiting.length;
  const live = liveLines(options, liveRoom, { isFollowed: waiting.length > 0 });
  const above = [...live, ...waiting, ...progress, ...queued];
  const cursor = block.cursor && { x: block.cursor.x, y: block.cursor.y + above.length };
  return { lines: [...above, ...block.lines, ...below], cursor };
}

/** The end of what is being written, short enough for every window. */
function resizingBlock({ editor }: PromptState, { theme, width }: View): Block {
  const written = editor.text.slice(0, editor.cursor).split("\n").at(-1) ?? "";
  const line = `${theme.symbols.prompt} ${written.slice(-RESIZING_CHARS)}`;
  return { lines: [clip(line, width, "")], cursor: { x: Math.min(width - 1, widthOf(line)), y: 0 } };
}

const RESIZING_CHARS = 8;

/** The prompt; below a question it is there for as long as something is written in it. */
function askedBlock(
  { question, input, live }: UiState,
  prompt: PromptState,
  view: View,
  room: number,
): Block {
  if (question === undefined)
    return promptBlock(prompt, view, Math.max(1, Math.floor(room / 2)), { asked: input });
  const isWriting = question.explaining !== undefined || !isEmptyPrompt(prompt);
  const hasDraft = isWriting && question.explaining === undefined;
  const isReason = question.explaining !== undefined && question.explaining.asks === undefined;
  const words = isReason ? { placeholder: "What the model should know" } : {};
  const draft = isWriting ? promptBlock(prompt, view, DRAFT_ROWS, words) : NOTHING;
  const shown = isCodeAbove(live) ? { ...question, details: question.details.slice(1) } : question;
  const lines = questionLines(shown, view, { maxRows: room - 1 - draft.lines.length, hasDraft });
  const cursor = draft.cursor && { x: draft.cursor.x, y: draft.cursor.y + lines.length };
  return { lines: [...lines, ...draft.lines], cursor };
}

/** The call that is asked about has its code there, and the question need not say what it does. */
function isCodeAbove(live: readonly Item[]): boolean {
  const asked = live.findLast((item) => item.kind === "call" && item.isAsked);
  return asked?.kind === "call" && asked.name === "python" && !isCodeInQuestion(asked);
}

const NOTHING: Block = { lines: [], cursor: undefined };
/** Of a draft below a question. */
const DRAFT_ROWS = 3;

const MOST_WAITING = 4;

/** The calls that have not started because others run. */
function waitingLines({ waiting, live }: UiState, view: View): string[] {
  if (waiting.length === 0 || live.length === 0) return [];
  const { theme, width } = view;
  const { dot, more } = theme.symbols;
  const shown = waiting
    .slice(0, MOST_WAITING)
    .map(({ name, input }) =>
      heading({ status: "waiting", name, title: callText(input), facts: ["waiting"] }, view),
    );
  const rest = waiting.length - shown.length;
  const note = theme.dim(clip(`${more} ${count(rest, "more call")} ${dot} waiting`, width, more));
  return [...shown, ...(rest > 0 ? [note] : []), ""];
}

/** What tells it from the others: a description, a path, a title, or what it runs. */
function callText(input: unknown): string | undefined {
  const [first] = listIn(input, "cells");
  return (
    textIn(input, "description") ??
    textIn(input, "path") ??
    textIn(input, "command") ??
    textIn(first, "title") ??
    textIn(first, "code")
  );
}

/** @param isFollowed by calls of one line, which have an empty line below them. */
function liveLines(
  { state, view, unprinted = (_, lines) => lines, isTightAbove = false }: FrameOptions,
  room: number,
  { isFollowed }: { readonly isFollowed: boolean },
): string[] {
  if (room <= 1) return [];
  let isTight = isTightAbove;
  const lines = state.live.flatMap((item) => {
    const drawn = unprinted(item, itemLines(item, { ...view, isLive: true }));
    const below = spaced(item, drawn, { isTightAbove: isTight });
    isTight = below.isTight;
    return below.lines;
  });
  if (isTight && !isFollowed) lines.push("");
  return lines.length > room ? lines.slice(-room) : lines;
}
