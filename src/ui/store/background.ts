/** What goes on behind the conversation: the kernel, and work that nobody waits for. Pure. */

import type { UiEvent } from "./event.ts";
import type { Activity, Kernel } from "./state.ts";

export function withKernel(
  kernel: Kernel,
  { type: _, ...news }: Extract<UiEvent, { type: "kernel" }>,
  at: number,
) {
  const isSame = news.state === undefined || news.state === kernel.state;
  return { ...kernel, ...news, since: isSame ? kernel.since : at } satisfies Kernel;
}

export function withTask(
  tasks: readonly Activity[],
  { what, isGoing }: Extract<UiEvent, { type: "task" }>,
  at: number,
): readonly Activity[] {
  const others = tasks.filter((task) => task.what !== what);
  return isGoing ? [...others, { what, startedAt: at }] : others;
}
