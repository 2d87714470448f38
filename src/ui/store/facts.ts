/** The facts of the status line: what was used, the kernel, work in the background. Pure. */

import type { Usage } from "../../protocol/index.ts";
import type { UiEvent } from "./event.ts";
import type { Activity, Facts, Kernel } from "./state.ts";

export function withUsage(facts: Facts, usage: Usage): Facts {
  const used = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
  const costUsd =
    facts.costUsd === undefined || usage.costUsd === undefined ? undefined : facts.costUsd + usage.costUsd;
  const totals = {
    input: facts.totals.input + usage.inputTokens + usage.cacheWriteTokens,
    cached: facts.totals.cached + usage.cacheReadTokens,
    output: facts.totals.output + usage.outputTokens,
  };
  return { ...facts, costUsd, totals, usedTokens: used > 0 ? used : facts.usedTokens };
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
