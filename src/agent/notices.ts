/** What a person reads about a run beside the conversation. */

import type { AgentEvent, Model } from "../protocol/index.ts";

function notice(text: string): AgentEvent {
  return { type: "notice", text };
}

export function answerCutNotice({ facts }: Model): AgentEvent {
  return notice(`The answer was cut off: ${facts.name} reached its output limit.`);
}

export function answerEmptyNotice({ facts }: Model): AgentEvent {
  return notice(`The answer is empty: ${facts.name} returned no text.`);
}

export function notCompactedNotice(issue: string): AgentEvent {
  return notice(`The conversation could not be compacted: ${issue}`);
}

export function noMoreRoomNotice(): AgentEvent {
  return notice(
    "Compaction no longer frees any space, so the conversation continues without it until the context is full.",
  );
}

/** @param names of subagents that work in the background. */
export function waitingNotice(names: readonly string[]): AgentEvent {
  return notice(`waiting for ${names.join(", ")}`);
}

export function repetitionNotice(turns: number): AgentEvent {
  return notice(
    `The model made the same call with the same result ${turns} times in a row; it has been told.`,
  );
}
