/** The facts of the status line: what was used, the kernel, work in the background. Pure. */

import type { ToolDetails, Usage } from "../../protocol/index.ts";
import { asRecord } from "../../protocol/record.ts";
import type { UiEvent } from "./event.ts";
import type { Activity, Facts, Kernel, Spent, UiState } from "./state.ts";

/** Of the conversation itself: what it takes of the context is known by it. */
export function withUsage(facts: Facts, usage: Usage): Facts {
  const used = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
  return { ...facts, ...sumOf(facts, usage), usedTokens: used > 0 ? used : facts.usedTokens };
}

/** Of cells and subagents, whose context is another. */
export function withNestedSpent(facts: Facts, usage: Usage): Facts {
  return { ...facts, ...sumOf(facts, usage), nested: sumOf(facts.nested, usage) };
}

/** What a bill counts. */
function sumOf({ costUsd, totals: { input, cached, output } }: Spent, usage: Usage): Spent {
  return {
    costUsd: costUsd === undefined || usage.costUsd === undefined ? undefined : costUsd + usage.costUsd,
    totals: {
      input: input + usage.inputTokens + usage.cacheWriteTokens,
      cached: cached + usage.cacheReadTokens,
      output: output + usage.outputTokens,
    },
  };
}

export function withKernel(
  kernel: Kernel,
  { type: _, ...changes }: Extract<UiEvent, { type: "kernel" }>,
  at: number,
): Kernel {
  const { state = kernel.state } = changes;
  const isSame = state === kernel.state;
  // One that starts has run nothing yet.
  const cells = isSame || state === "idle" || state === "busy" ? kernel.cells : 0;
  return { ...kernel, ...changes, cells, since: isSame ? kernel.since : at };
}

/** A cell's result has the number that the kernel gave it. */
export function withCells(state: UiState, details: ToolDetails): UiState {
  const { facts } = state;
  // A branch counts on its own.
  if (details["branch"] !== undefined) return state;
  const listed: readonly unknown[] = Array.isArray(details["cells"]) ? details["cells"] : [];
  const numbers = listed.map((cell) => Number(asRecord(cell)["executionCount"] ?? 0));
  const cells = Math.max(0, ...numbers);
  return cells > 0 ? { ...state, facts: { ...facts, kernel: { ...facts.kernel, cells } } } : state;
}

export function withTask(
  tasks: readonly Activity[],
  { what, isGoing }: Extract<UiEvent, { type: "task" }>,
  at: number,
): readonly Activity[] {
  const others = tasks.filter((task) => task.what !== what);
  return isGoing ? [...others, { what, startedAt: at }] : others;
}
