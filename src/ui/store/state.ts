/** What the screen shows, as one value. Nothing here knows a terminal, a model or a tool. */

import type { ToolDetails } from "../../protocol/index.ts";
import { nothingReceived, type Received } from "./answers.ts";
import type { Picker } from "./picker-state.ts";
import type { OpenQuestion } from "./question-state.ts";

/** `stopped`: the user interrupted it. */
export type Tone = "info" | "stopped" | "warning" | "error";

/** A finished call's result, cut to what a screen can use. */
export interface CallResult {
  readonly isError: boolean;
  readonly output: string;
  /** Lines before it that were not kept. */
  readonly cutLines: number;
  readonly details: ToolDetails;
  readonly imageCount: number;
  /** The end of what was printed, with the colours that the output has no more; empty where there were none. */
  readonly colored: string;
}

/** A picture of a call, as it appears in the transcript. */
export interface Picture {
  /** `640×480 image/png`, as far as that is known. */
  readonly label: string;
  /** Empty when it is only named. */
  readonly lines: readonly string[];
  readonly columns: number;
  /** Stands before its caption, and draws it over the lines. */
  readonly mark: string;
  /** Why it is not drawn, when that is worth a word. */
  readonly problem: string | undefined;
}

/** A call's output while it runs. */
export interface LiveOutput {
  /** The end of it. */
  readonly tail: string;
  /** How many characters there were, with those before the tail. */
  readonly chars: number;
  /** How many lines have ended. */
  readonly lines: number;
  /** Of several cells, those that have started. */
  readonly cells: readonly LiveCell[];
}

export interface LiveCell {
  /** From 1. */
  readonly number: number;
  readonly startedAt: number;
  /** Characters of output before its own. */
  readonly from: number;
}

/** Nested calls are counted: a loop may make thousands. */
export interface NestedCalls {
  readonly running: number;
  readonly failed: number;
  /** How often each tool was called, in the order of the first calls. */
  readonly counts: Readonly<Record<string, number>>;
}

export const noNestedCalls: NestedCalls = { running: 0, failed: 0, counts: {} };

export interface CallItem {
  readonly kind: "call";
  readonly id: string;
  /** The call's own id, which its events carry. */
  readonly callId: string;
  readonly name: string;
  readonly input: unknown;
  /** Who asked for it; `private`: the user, without telling the model. */
  readonly by: "model" | "user" | "private";
  /** When it started to run; a question before it does not count. */
  readonly startedAt: number;
  /** Waits for an answer, and does not run yet. */
  readonly isAsked: boolean;
  readonly endedAt: number | undefined;
  readonly live: LiveOutput;
  /** The calls that its code makes. */
  readonly nested: NestedCalls;
  /** In the order of its result's images. */
  readonly pictures: readonly Picture[];
  readonly result: CallResult | undefined;
}

export interface TextItem {
  readonly kind: "user" | "assistant" | "reasoning";
  readonly id: string;
  readonly text: string;
  /** Still being streamed. */
  readonly isOpen: boolean;
  /** While it is. */
  readonly startedAt?: number;
  /** How long it took, where that was seen. */
  readonly tookMs?: number;
}

export interface NoticeItem {
  readonly kind: "notice";
  readonly id: string;
  readonly tone: Tone;
  readonly text: string;
}

export type TableRow = readonly [name: string, text: string];

/** What a command answers: a title, text, and two columns. */
export interface PlainItem {
  readonly kind: "plain";
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly rows: readonly TableRow[];
}

/** A kernel's help for a name: signature, text, source. */
export type HelpItem = Omit<PlainItem, "kind" | "rows"> & { readonly kind: "help" };

export type Item = CallItem | TextItem | NoticeItem | PlainItem | HelpItem;

export interface Kernel {
  /** `none`: not started yet, or given back. `unavailable`: there is no Python that works, or it is switched off. */
  readonly state: "unavailable" | "none" | "starting" | "idle" | "busy" | "dead";
  /** Of the state. */
  readonly since: number;
  /** Which Python it is. */
  readonly interpreter: string | undefined;
  /** The environment that it belongs to, in a word. */
  readonly environment?: string | undefined;
  /** What has to be done before it can start. */
  readonly progress?: string | undefined;
  /** How many cells have run in it. */
  readonly cells: number;
  /** Its copy in which the user's own cells run. */
  readonly branch?: string | undefined;
  /** Why there is none, or why it is dead. */
  readonly problem?: string | undefined;
}

/** Tokens, as a bill counts them. */
export interface Totals {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

export const noTotals: Totals = { input: 0, cached: 0, output: 0 };

/** What was used; no price when one was not known. */
export interface Spent {
  readonly totals: Totals;
  readonly costUsd: number | undefined;
}

export const noneSpent: Spent = { totals: noTotals, costUsd: 0 };

export interface Facts {
  readonly model: string | undefined;
  readonly contextTokens: number;
  readonly usedTokens: number;
  /** Of the session, all requests together. */
  readonly totals: Totals;
  /** Of the session; undefined when a price was not known. */
  readonly costUsd: number | undefined;
  /** Of these, what cells and subagents have used. */
  readonly nested: Spent;
  readonly kernel: Kernel;
  readonly backgroundShells: number;
  readonly backgroundAgents: number;
  readonly branch: string | undefined;
  readonly cwd: string;
  /** Its mode; absent without one. */
  readonly sandbox?: string | undefined;
  /** How hard the model thinks, where the user has said so. */
  readonly effort?: string | undefined;
  /** Which approval mode; absent for the default, `auto`. */
  readonly approval?: string | undefined;
}

/** What is being done, since when. */
export interface Activity {
  readonly what: string;
  readonly startedAt: number;
}

export interface Redraw {
  /** Tells one from the next. */
  readonly count: number;
  /**
   * - `visible`: what is on the screen looks different now.
   * - `all`: the screen and its scrollback are emptied, and everything is written once.
   * - `gone`: what is on the screen belongs to another session.
   */
  readonly what: "visible" | "all" | "gone";
}

/** A request to the model that failed, and is made again. */
export interface Retry {
  readonly reason: string;
  /** Of the next request, from 1. */
  readonly attempt: number;
  readonly attempts: number | undefined;
  /** When it is made. */
  readonly at: number;
}

/** A call of the model's last message that has not started. */
export type WaitingCall = Pick<CallItem, "callId" | "name" | "input">;

export interface UiState {
  /** In the terminal's scrollback: never changes, only grows. */
  readonly finished: readonly Item[];
  /** Still changing, or after something that is. */
  readonly live: readonly Item[];
  readonly activity: Activity | undefined;
  readonly retry: Retry | undefined;
  /** Calls that wait for those before them. */
  readonly waiting: readonly WaitingCall[];
  /** Work in the background. */
  readonly tasks: readonly Activity[];
  readonly queued: readonly string[];
  readonly question: OpenQuestion | undefined;
  /** What a cell of the user's asks for with `input()`. */
  readonly input: string | undefined;
  /** A list shown instead of the prompt. */
  readonly picker: Picker | undefined;
  readonly isExpanded: boolean;
  /** What of the message that is being received is finished. */
  readonly received: Received;
  /** The last time that what has been printed had to be written again. */
  readonly redraw: Redraw;
  readonly facts: Facts;
  readonly size: { readonly columns: number; readonly rows: number };
  /** Its size is changing: nothing is printed, and the frame is one short line, which no change of the size can break. */
  readonly isResizing: boolean;
  /** One line beneath the prompt that goes away by itself. */
  readonly hint: string | undefined;
  /** Text to put into the editor; the count tells one text from the next. */
  readonly handedBack: { readonly text: string; readonly count: number };
  readonly isEnding: boolean;
  readonly nextId: number;
}

export function initialState({ cwd, ...size }: UiState["size"] & Pick<Facts, "cwd">): UiState {
  return {
    finished: [],
    live: [],
    activity: undefined,
    retry: undefined,
    waiting: [],
    tasks: [],
    queued: [],
    question: undefined,
    input: undefined,
    picker: undefined,
    isExpanded: false,
    received: nothingReceived,
    redraw: { count: 0, what: "visible" },
    facts: {
      model: undefined,
      contextTokens: 0,
      usedTokens: 0,
      totals: noTotals,
      costUsd: 0,
      nested: noneSpent,
      kernel: { state: "none", since: 0, interpreter: undefined, cells: 0 },
      backgroundShells: 0,
      backgroundAgents: 0,
      branch: undefined,
      cwd,
    },
    size,
    isResizing: false,
    hint: undefined,
    handedBack: { text: "", count: 0 },
    isEnding: false,
    nextId: 1,
  };
}
