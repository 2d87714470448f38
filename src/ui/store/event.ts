/** What can happen to the screen: the agent's events, and those of the person and the program around it. */

import type { AgentEvent, ToolResult } from "../../protocol/index.ts";
import type { Picker } from "./picker-state.ts";
import type { CallItem, Facts, Kernel, Question, TableRow, Tone } from "./state.ts";

export type UiEvent =
  | AgentEvent
  /** Work began that is not the agent's, or the agent's before its first event. */
  | { readonly type: "started"; readonly what: string }
  | { readonly type: "stopped" }
  | { readonly type: "queued"; readonly texts: readonly string[] }
  | { readonly type: "asked"; readonly question: Question }
  | { readonly type: "answered"; readonly id: number }
  | { readonly type: "picker_opened"; readonly picker: Picker }
  | { readonly type: "picker_changed"; readonly id: number; readonly filter: string; readonly chosen: number }
  | { readonly type: "picker_closed"; readonly id: number }
  /** A call that the user made, without a model. */
  | {
      readonly type: "direct_call";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      readonly by: CallItem["by"];
    }
  | { readonly type: "direct_result"; readonly id: string; readonly result: ToolResult }
  /** Before the result of the same call. */
  | { readonly type: "pictures"; readonly id: string; readonly pictures: CallItem["pictures"] }
  | { readonly type: "told"; readonly tone: Tone; readonly text: string }
  | {
      readonly type: "answer";
      readonly title: string;
      readonly text: string;
      readonly rows?: readonly TableRow[];
    }
  /** What a kernel says about a name. */
  | { readonly type: "help"; readonly title: string; readonly text: string }
  /** Something that takes time and is not what the user waits for. */
  | { readonly type: "task"; readonly what: string; readonly isGoing: boolean }
  /** What an earlier session left. */
  | {
      readonly type: "restored";
      readonly events: readonly UiEvent[];
      /** What is to be said of it, beneath. */
      readonly notes?: readonly { readonly tone: Tone; readonly text: string }[];
    }
  | { readonly type: "facts"; readonly facts: Partial<Facts> }
  | ({ readonly type: "kernel" } & Partial<Omit<Kernel, "since">>)
  | { readonly type: "resized"; readonly columns: number; readonly rows: number }
  | { readonly type: "expand_toggled" }
  | { readonly type: "redraw_asked" }
  | { readonly type: "cleared" }
  /** Background work ended: shown at once, and reported to the model with its next turn. */
  | { readonly type: "announced"; readonly text: string }
  | { readonly type: "hint"; readonly text: string | undefined }
  | { readonly type: "handed_back"; readonly text: string }
  | { readonly type: "ending" };

/** News that come by the thousand: the screen follows them a few times a second. */
export function isStreamed({ type }: UiEvent): boolean {
  return type === "tool_update" || type === "text_delta" || type === "reasoning_delta";
}
