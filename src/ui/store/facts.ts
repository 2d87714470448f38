/** The facts of the status line: what was used, the kernel, work in the background. Pure. */

import type { Usage } from "../../protocol/index.ts";
import type { UiEvent } from "./event.ts";
import type { Activity, Facts, Kernel } from "./state.ts";

/** Of the conversation itself: what it takes of the context is known by it. */
export function withUsage(facts: Facts, usage: Usage): Facts {
  const used = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
  return { ...withSpent(facts, usage), usedTokens: used > 0 ? used : facts.usedTokens };
}

/** What a bill counts. */
export function withSpent(facts: Facts, usage: Usage): Facts {
  const costUsd =
    facts.costUsd === undefined || usage.costUsd === undefined ? undefined : facts.costUsd + usage.costUsd;
  const totals = {
    input: facts.totals.input + usage.inputTokens + usage.cacheWriteTokens,
    cached: facts.totals.cached + usage.cacheReadTokens,
    output: facts.totals.output + usage.outputTokens,
  };
  return { ...facts, costUsd, totals };
}

export function withKernel(
  kernel: Kernel,
  { type: _, ...changes }: Extract<UiEvent, { type: "kernel" }>,
  at: number,
) {
  const isSame = changes.state === undefined || changes.state === kernel.state;
  return { ...kernel, ...changes, since: isSame ? kernel.since : at } satisfies Kernel;
}

export function withTask(
  tasks: readonly Activity[],
  { what, isGoing }: Extract<UiEvent, { type: "task" }>,
  at: number,
): readonly Activity[] {
  const others = tasks.filter((task) => task.what !== what);
  return isGoing ? [...others, { what, startedAt: at }] : others;
}
