/**
 * The session for a screen reader: from one state to the next, the lines that are new. A line is spoken once and never changes;
 * streamed text is spoken in whole lines and whole paragraphs.
 */

import { outputPieces } from "../../protocol/index.ts";
import { renderMarkdown, settledLength } from "../markdown/render.ts";
import { liveText } from "../store/live-output.ts";
import type { OpenQuestion } from "../store/question-state.ts";
import type { CallItem, Item, UiState } from "../store/state.ts";
import { plainText } from "../text/lines.ts";
import { sourceLine, sourceText } from "../text/source-text.ts";
import type { View } from "../view.ts";
import { itemLines } from "../views/item.ts";
import { answerText } from "../views/question.ts";
import { beginning, cellStart, ending, readLines, shownPictures } from "./spoken-call.ts";
import { spokenTheme } from "./words.ts";

/** How far a call that still runs has been read. */
interface Heard {
  readonly chars: number;
  /** Printed lines, without headings of cells. */
  readonly lines: number;
  readonly cells: number;
  /** The start of a line that has not ended. */
  readonly rest: string;
}

const nothingHeard: Heard = { chars: 0, lines: 0, cells: 0, rest: "" };

export class Speech {
  /** Finished items that have been spoken. */
  #finished = 0;
  readonly #calls = new Map<string, Heard>();
  /** The answer being spoken. */
  #open = { id: "", said: "" };
  #model: string | undefined;
  #hint: string | undefined;
  #retryAt: number | undefined;
  #question: number | undefined;
  #picker: number | undefined;
  #queued: readonly string[] = [];
  #isExpanded = false;

  take(state: UiState): string[] {
    const view: View = { theme: spokenTheme, width: state.size.columns, isExpanded: true, now: 0 };
    // Another session: its own transcript.
    if (state.finished.length < this.#finished) this.#finished = 0;
    const fresh = state.finished.slice(this.#finished);
    this.#finished = state.finished.length;
    return [
      ...fresh.flatMap((item) => this.#finish(item, state, view)),
      ...state.live.flatMap((item) => this.#follow(item, state, view)),
      ...this.#surroundings(state),
    ];
  }

  #finish(item: Item, state: UiState, view: View): string[] {
    if (item.kind === "call") {
      const started = this.#follow(item, state, view);
      const heard = this.#calls.get(item.id);
      this.#calls.delete(item.id);
      const lines = [...started, ...this.#restOf(item, heard, state.isExpanded), ...ending(item)];
      return [...lines, ""];
    }
    if (item.kind === "assistant") return [...this.#answer(item.text, item.text.length, view), ""];
    if (item.kind === "reasoning") return [];
    if (item.kind === "user") return [`You: ${plainText(item.text)}`, ""];
    return [...itemLines(item, view).map((line) => line.trimStart()), ""];
  }

  #follow(item: Item, { isExpanded }: UiState, view: View): string[] {
    if (item.kind === "assistant") {
      if (this.#open.id !== item.id) this.#open = { id: item.id, said: "" };
      return this.#answer(item.text, settledLength(item.text), view);
    }
    if (item.kind !== "call") return [];
    const heard = this.#calls.get(item.id);
    const started = heard ? [] : beginning(item);
    const { lines, heard: now } = hear(item, heard ?? nothingHeard);
    this.#calls.set(item.id, now);
    return [...started, ...readLines(lines, { isWhole: isExpanded })];
  }

  /** The lines of the result that were not read while the call ran. */
  #restOf(call: CallItem, heard: Heard = nothingHeard, isWhole: boolean): string[] {
    const { result } = call;
    if (result === undefined) return [];
    // Where lines were cut, the ones that were read cannot be distinguished from the others.
    let read = result.details.truncated === true && heard.lines > 0 ? Number.POSITIVE_INFINITY : heard.lines;
    const lines = outputPieces(result, result.cutLines).flatMap(({ kind, text, cell }) => {
      const words = plainText(text).trimEnd();
      if (kind === "note") return words.split("\n");
      const start = cell !== undefined && cell >= heard.cells ? [cellStart(call, cell + 1)] : [];
      const printed = words === "" ? [] : words.split("\n");
      const unread = printed.slice(read);
      read = Math.max(0, read - printed.length);
      return [...start, ...unread];
    });
    return readLines([...lines, ...shownPictures(call)], { isWhole });
  }

  #answer(text: string, until: number, view: View): string[] {
    const isContinued = this.#open.said !== "" && text.startsWith(this.#open.said);
    const from = isContinued ? this.#open.said.length : 0;
    const isWhole = until === text.length;
    const { id } = this.#open;
    this.#open = isWhole ? { id: "", said: "" } : { id, said: text.slice(0, Math.max(from, until)) };
    const added = text.slice(from, until);
    if (added.trim() === "") return [];
    const lines = renderMarkdown(added, { theme: view.theme, width: view.width });
    // A rule is an empty line here, among those of its neighbours.
    return lines.filter((line, at) => line !== "" || lines[at - 1] !== "");
  }

  /** What is new around the transcript: model, hint, question, list, queue. */
  #surroundings(state: UiState): string[] {
    const { hint, question, picker, queued, isExpanded, retry } = state;
    const { model } = state.facts;
    const lines: string[] = [];
    if (model !== undefined && model !== this.#model) lines.push(`The model is ${model}.`);
    if (hint !== undefined && hint !== this.#hint) lines.push(hint);
    if (retry !== undefined && retry.at !== this.#retryAt)
      lines.push(`${retry.reason}. Retrying, attempt ${retry.attempt}.`);
    this.#retryAt = retry?.at;
    if (question !== undefined && question.id !== this.#question) lines.push(...questionLines(question));
    if (picker !== undefined && picker.id !== this.#picker)
      lines.push(`${picker.title}. Type to filter, arrow keys to move, Enter to select, Escape to close.`);
    for (const text of queued.filter((each) => !this.#queued.includes(each))) lines.push(`Queued: ${text}`);
    if (isExpanded !== this.#isExpanded)
      lines.push(isExpanded ? "Output is now read in full." : "Only the end of long output is now read.");
    this.#model = model;
    this.#hint = hint;
    this.#question = question?.id;
    this.#picker = picker?.id;
    this.#queued = queued;
    this.#isExpanded = isExpanded;
    return lines;
  }
}

/** Whole lines that are new, and the cells that have started in between. */
function hear(call: CallItem, before: Heard): { readonly heard: Heard; readonly lines: string[] } {
  const { live } = call;
  const lines: string[] = [];
  let { chars, rest, lines: count } = before;
  const hearUntil = (to: number, { isEnd }: { readonly isEnd: boolean }) => {
    const text = rest + liveText(live, chars, to);
    const end = isEnd ? text.length : text.lastIndexOf("\n") + 1;
    const whole = text.slice(0, end).replace(/\n$/, "");
    const fresh = end === 0 ? [] : plainText(whole).split("\n");
    lines.push(...fresh);
    count += fresh.length;
    rest = text.slice(end);
    chars = Math.max(chars, to);
  };
  for (const { number, from } of live.cells.slice(before.cells)) {
    hearUntil(from, { isEnd: true });
    lines.push(cellStart(call, number));
  }
  hearUntil(live.chars, { isEnd: false });
  return { heard: { chars, rest, lines: count, cells: Math.max(before.cells, live.cells.length) }, lines };
}

function questionLines({ title, details, rows, stopsOnEscape }: OpenQuestion): string[] {
  return [
    sourceLine(title),
    ...details.flatMap((text) => sourceText(text).split("\n")),
    `Answers: ${rows.map(answerText).join(", ")}. Arrow keys to move, Enter to select, Escape to ${stopsOnEscape === false ? "cancel" : "stop"}.`,
  ];
}
