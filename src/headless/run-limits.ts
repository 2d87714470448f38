/** `--max-time` and `--max-cost`: abort a run that has taken or spent too much. */

import { formatDollars } from "../format/numbers.ts";
import type { AgentEvent, Usage } from "../protocol/index.ts";

export interface RunLimitOptions {
  readonly maxTimeSeconds?: number | undefined;
  readonly maxCostUsd?: number | undefined;
}

export interface LimitReached {
  readonly status: "time_limit" | "cost_limit";
  readonly line: string;
}

const MS_PER_SECOND = 1_000;

export class RunLimits {
  readonly #options: RunLimitOptions;
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #spentUsd = 0;
  #reached: LimitReached | undefined;

  constructor(options: RunLimitOptions) {
    this.#options = options;
  }

  /** Aborts when a limit is reached. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get reached(): LimitReached | undefined {
    return this.#reached;
  }

  start(): void {
    const { maxTimeSeconds } = this.#options;
    if (maxTimeSeconds === undefined) return;
    const line = `omp: stopped after ${maxTimeSeconds} s (TIME_LIMIT)`;
    this.#timer = setTimeout(
      () => this.#stop({ status: "time_limit", line }),
      maxTimeSeconds * MS_PER_SECOND,
    );
  }

  /** Also what compaction and the calls of cells cost. A model whose price is not known cannot be held to a limit. */
  observe(event: AgentEvent): void {
    const { maxCostUsd } = this.#options;
    const usage: Usage | undefined = "usage" in event && event.type !== "end" ? event.usage : undefined;
    if (maxCostUsd === undefined || usage === undefined) return;
    if (usage.costUsd === undefined) {
      const line =
        "omp: stopped: the model's price is unknown, so --max-cost cannot be enforced (COST_LIMIT)";
      this.#stop({ status: "cost_limit", line });
      return;
    }
    this.#spentUsd += usage.costUsd;
    // An answer that is there is paid for: only what would follow is stopped.
    const isAnswer = event.type === "assistant" && event.reason !== "tool_calls";
    if (this.#spentUsd <= maxCostUsd || isAnswer) return;
    const spent = formatDollars(this.#spentUsd);
    const line = `omp: stopped: ${spent} is more than ${formatDollars(maxCostUsd)} (COST_LIMIT)`;
    this.#stop({ status: "cost_limit", line });
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #stop(reached: LimitReached): void {
    this.#reached ??= reached;
    this.#controller.abort();
  }
}
