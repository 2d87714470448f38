/** What happens in a run, in order: the one stream that the log, the screen and scripts are fed from. */

import type { AssistantMessage, FinishReason, Message, Usage, UserMessage } from "./model.ts";
import type { ToolResult } from "./tool.ts";

/** How a run ended. `repeated_call`: the model made the same call with the same result over and over. */
export type RunStatus = "done" | "failed" | "interrupted" | "turn_limit" | "repeated_call";

/** The beginning or the end of a nested call. */
export type NestedEvent = Extract<AgentEvent, { type: "tool_call" | "tool_result" }> & {
  readonly parent: string;
};

export type AgentEvent =
  | {
      readonly type: "user";
      readonly message: UserMessage;
      /** What the work that it announces has used, and the call that had started it. */
      readonly usage?: Usage;
      readonly parent?: string;
    }
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "reasoning_delta"; readonly text: string }
  /** The model's turn failed and starts again: the deltas since the last whole message are void. */
  | {
      readonly type: "retry";
      /** How many have failed. */
      readonly attempt: number;
      /** How many there will be at most. */
      readonly attempts?: number;
      readonly delayMs: number;
      readonly reason: string;
    }
  | {
      readonly type: "assistant";
      readonly message: AssistantMessage;
      readonly reason: FinishReason;
      readonly usage: Usage;
    }
  /** Before the call runs. With `parent`, that call's own code makes it: a nested call. */
  | {
      readonly type: "tool_call";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      readonly parent?: string;
      /** The user made it, hidden from the model. */
      readonly by?: "private";
    }
  /** Output as it streams. With `cell` (from 1) that cell starts, and the text is its heading. */
  | { readonly type: "tool_update"; readonly id: string; readonly text: string; readonly cell?: number }
  | {
      readonly type: "tool_result";
      readonly id: string;
      readonly name: string;
      readonly result: ToolResult;
      readonly parent?: string;
      /** What a model was asked for it, and not by the conversation. */
      readonly usage?: Usage;
    }
  /** The conversation was replaced by a summary, except for the user's words and the newest messages. */
  | {
      readonly type: "compacted";
      readonly summary: string;
      readonly tokensBefore: number;
      /** The conversation from here on. Old logs have only how many user messages were kept, with the turns from there on. */
      readonly history?: readonly Message[];
      readonly keptUserMessages?: number;
      /** How much the conversation takes now, estimated, and what the summary cost; missing in old logs. */
      readonly tokensAfter?: number;
      readonly usage?: Usage;
    }
  | { readonly type: "notice"; readonly text: string }
  | { readonly type: "error"; readonly code: string; readonly message: string }
  /** Always last. */
  | {
      readonly type: "end";
      readonly status: RunStatus;
      /** The model's last text. */
      readonly text: string;
      /** Whether the answer reached the model's longest output, or has no words; missing in old logs. */
      readonly isCut?: boolean;
      readonly isEmpty?: boolean;
      readonly turns: number;
      /** Of the whole run. */
      readonly usage: Usage;
    };
