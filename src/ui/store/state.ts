/** What the screen shows, as one value. Nothing here knows a terminal, a model or a tool. */

import type { ToolDetails } from "../../protocol/index.ts";
import type { Picker } from "../input/picker-state.ts";

export type Tone = "info" | "warning" | "error";

/** A question that stands between a call and its run. */
export interface Question {
  readonly id: number;
  readonly tool: string;
  /** What would run: the whole command where there is one. */
  readonly subject: string;
  readonly reason: string;
  /** What "always" would be remembered as; empty when it cannot be. */
  readonly patterns: readonly string[];
}

export type Answer = "once" | "session" | "always" | "no";

/** What a finished call left behind, cut to what a screen can use. */
export interface CallResult {
  readonly isError: boolean;
  readonly output: string;
  readonly details: ToolDetails;
  readonly imageCount: number;
}

/** A call's output while it runs: its end, and how much there was. */
export interface LiveOutput {
  readonly tail: string;
  readonly bytes: number;
  /** Which of its parts (cells) runs, from 1, and since when; 0 before the first has said so. */
  readonly part: number;
  readonly partStartedAt: number;
}

export interface CallItem {
  readonly kind: "call";
  readonly id: string;
  /** The call's own id, by which its news are told. */
  readonly callId: string;
  readonly name: string;
  readonly input: unknown;
  /** Who asked for it; `private`: the user, without telling the model. */
  readonly by: "model" | "user" | "private";
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly live: LiveOutput;
  /** Its pictures, drawn as lines. */
  readonly pictures: readonly (readonly string[])[];
  readonly result: CallResult | undefined;
}

export interface TextItem {
  readonly kind: "user" | "assistant" | "reasoning";
  readonly id: string;
  readonly text: string;
  /** Still being said. */
  readonly isOpen: boolean;
}

export interface NoticeItem {
  readonly kind: "notice";
  readonly id: string;
  readonly tone: Tone;
  readonly text: string;
}

/** Text that is already in its form: what a command answers. */
export interface PlainItem {
  readonly kind: "plain";
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

export type Item = CallItem | TextItem | NoticeItem | PlainItem;

export interface Kernel {
  readonly state: "none" | "starting" | "idle" | "busy" | "dead";
  /** Of the state. */
  readonly since: number;
  /** Which Python it is. */
  readonly interpreter: string | undefined;
}

/** What the status line tells. */
export interface Facts {
  readonly model: string | undefined;
  readonly contextTokens: number;
  readonly usedTokens: number;
  /** Of the session; undefined when a price was not known. */
  readonly costUsd: number | undefined;
  readonly kernel: Kernel;
  readonly backgroundShells: number;
  readonly branch: string | undefined;
  readonly cwd: string;
}

/** What is being done, since when. */
export interface Activity {
  readonly what: string;
  readonly startedAt: number;
}

export interface UiState {
  /** In the terminal's scrollback: never changes, only grows. */
  readonly finished: readonly Item[];
  /** Still changing, or behind something that is. */
  readonly live: readonly Item[];
  readonly activity: Activity | undefined;
  readonly queued: readonly string[];
  readonly question: Question | undefined;
  /** A list that stands in the prompt's place. */
  readonly picker: Picker | undefined;
  readonly isExpanded: boolean;
  /** Counts the times that the whole transcript has to be written again. */
  readonly redraws: number;
  /** How many of the finished items that has written: the others are written as they come. */
  readonly redrawn: number;
  readonly facts: Facts;
  readonly size: { readonly columns: number; readonly rows: number };
  /** One line beneath the prompt that goes away by itself. */
  readonly hint: string | undefined;
  /** Text to put into the editor; the number tells one from the next. */
  readonly handedBack: { readonly text: string; readonly count: number };
  readonly isEnding: boolean;
  readonly nextId: number;
}

export function initialState(options: {
  readonly columns: number;
  readonly rows: number;
  readonly cwd: string;
}): UiState {
  const { columns, rows, cwd } = options;
  return {
    finished: [],
    live: [],
    activity: undefined,
    queued: [],
    question: undefined,
    picker: undefined,
    isExpanded: false,
    redraws: 0,
    redrawn: 0,
    facts: {
      model: undefined,
      contextTokens: 0,
      usedTokens: 0,
      costUsd: 0,
      kernel: { state: "none", since: 0, interpreter: undefined },
      backgroundShells: 0,
      branch: undefined,
      cwd,
    },
    size: { columns, rows },
    hint: undefined,
    handedBack: { text: "", count: 0 },
    isEnding: false,
    nextId: 1,
  };
}
