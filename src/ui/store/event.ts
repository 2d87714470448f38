/** What can happen to the screen: the agent's events, and those of the person and the program around it. */

import type { AgentEvent } from "../../protocol/index.ts";
import type { Picker } from "./picker-state.ts";
import type { Question, QuestionChange } from "./question-state.ts";
import type { CallItem, Facts, HelpItem, Kernel, PlainItem, Redraw, Tone } from "./state.ts";

export type UiEvent =
  | Exclude<AgentEvent, { type: "notice" | "tool_call" }>
  | { readonly type: "notice"; readonly text: string; readonly tone?: Tone }
  | {
      readonly type: "tool_call";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      /** The model when not given. */
      readonly by?: CallItem["by"];
      /** The call whose code makes this one. */
      readonly parent?: string;
    }
  /** Work started that is not the agent's, or the agent's before its first event. */
  | { readonly type: "started"; readonly what: string }
  | { readonly type: "stopped" }
  | { readonly type: "queued"; readonly texts: readonly string[] }
  | { readonly type: "asked"; readonly question: Question }
  | { readonly type: "question_changed"; readonly id: number; readonly change: QuestionChange }
  | { readonly type: "answered"; readonly id: number }
  /** A cell of the user's waits for a line, or no more. */
  | { readonly type: "input"; readonly prompt: string | undefined }
  | { readonly type: "picker_opened"; readonly picker: Picker }
  | { readonly type: "picker_changed"; readonly id: number; readonly filter: string; readonly chosen: number }
  | { readonly type: "picker_closed"; readonly id: number }
  /** Before the result of the same call. */
  | { readonly type: "pictures"; readonly id: string; readonly pictures: CallItem["pictures"] }
  | ({ readonly type: "answer" } & Pick<PlainItem, "title" | "text"> & Partial<Pick<PlainItem, "rows">>)
  | ({ readonly type: "help" } & Pick<HelpItem, "title" | "text">)
  /** Something that takes time and is not what the user waits for. */
  | { readonly type: "task"; readonly what: string; readonly isGoing: boolean }
  /** What an earlier session left. */
  | {
      readonly type: "restored";
      readonly events: readonly UiEvent[];
      /** Notices below it. */
      readonly notes?: readonly { readonly tone: Tone; readonly text: string }[];
    }
  | { readonly type: "facts"; readonly facts: Partial<Facts> }
  | ({ readonly type: "kernel" } & Partial<Omit<Kernel, "since">>)
  | { readonly type: "resized"; readonly columns: number; readonly rows: number }
  /** The window has kept its size for a moment. */
  | { readonly type: "resize_settled" }
  | { readonly type: "expand_toggled" }
  /** What is on the screen, unless something else is said. */
  | { readonly type: "redraw_asked"; readonly what?: Redraw["what"] }
  | { readonly type: "cleared" }
  | { readonly type: "hint"; readonly text: string | undefined }
  | { readonly type: "handed_back"; readonly text: string }
  | { readonly type: "ending" };

/** Events that arrive by the thousand: the screen is redrawn for them a few times a second. */
export function isStreamed(event: UiEvent): boolean {
  const { type } = event;
  return type === "tool_update" || type === "text_delta" || type === "reasoning_delta" || "parent" in event;
}
