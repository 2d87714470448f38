/** How a conversation is to be put together. */

import type { Announced } from "../agent/inbox.ts";
import type { Effort, Model } from "../protocol/index.ts";
import type { ServicesChoice } from "./services.ts";
import type { SessionChoice } from "./session-choice.ts";

export interface AgentSessionOptions extends ServicesChoice {
  /** `provider/id`; by default what the settings and keys say. */
  readonly model?: string | undefined;
  readonly session: SessionChoice;
  /** Exactly these tools instead of the default ones. */
  readonly tools?: readonly string[] | undefined;
  /** `-i`: files of pictures for the first prompt. */
  readonly image?: readonly string[] | undefined;
  readonly dryRun?: boolean | undefined;
  readonly maxTurns: number;
  /** How hard the model should think; by default as its provider has it. */
  readonly effort?: Effort | undefined;
  readonly systemPrompt?: string | undefined;
  readonly appendSystemPrompt?: string | undefined;
  /** What form the answer has to have, in words for the model. */
  readonly answerInstruction?: string | undefined;
  readonly agentEvents?: AgentEvents | undefined;
  /** A run is over when the subagents are that it has started in the background: nobody speaks after it. */
  readonly waitsForAgents?: boolean | undefined;
  /** Of a subagent: how many there are above it, and its parent's model, where it names none. */
  readonly depth?: number | undefined;
  readonly inherited?: Model | undefined;
}

/** Called when something happens to subagents in the background. */
export interface AgentEvents {
  /** One has started or, with a line about it, ended. */
  readonly onChange: (ended?: string) => void;
  /** Its end is part of the conversation now: no model works that would read it. */
  readonly onAnnounced: (announced: Announced) => void;
}
