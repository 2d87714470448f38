/** Runs the cells of one call in order, in one kernel, until one does not end well. */

import { within } from "../../async/within.ts";
import { KernelError } from "../../kernel/errors.ts";
import type { ExecuteOptions, Kernel } from "../../kernel/kernel.ts";
import type { KernelLease, Recovery } from "../../kernel/pool/pool.ts";
import { type CellOutput, CellRecord, type CellStatus } from "./cell-record.ts";
import type { Widgets } from "./widgets.ts";

/** How long a kernel may take to end after `exit()`: code that it registered may still run. */
const EXIT_MS = 10_000;

/** Before displays that arrived between two cells. */
const SHOWN_LATE = "[shown since the last cell]";

export interface Cell {
  readonly code: string;
  readonly title?: string | undefined;
}

export interface CellRun {
  readonly cell: Cell;
  readonly status: CellStatus;
  readonly durationMs: number;
  readonly record: CellRecord;
}

export interface CellsRun {
  readonly runs: readonly CellRun[];
  /** Set when the kernel died under a cell: what became of it. */
  readonly death: Recovery | undefined;
}

export interface RunCellsOptions {
  readonly lease: KernelLease;
  readonly cells: readonly Cell[];
  readonly output: CellOutput & { mark(): void };
  readonly widgets: Widgets;
  /** Before each of several cells, numbered from 1. */
  readonly onCell: (heading: string, number: number) => void;
  /** The caller's abort and the time limit, whichever comes first. */
  readonly signal: AbortSignal;
  readonly answer: ExecuteOptions["answer"];
}

export async function runCells(options: RunCellsOptions): Promise<CellsRun> {
  const runs: CellRun[] = [];
  let death: CellsRun["death"];
  for (const [index, cell] of options.cells.entries()) {
    const last = runs.at(-1);
    if (options.signal.aborted || (last && last.status !== "ok")) {
      runs.push({ cell, status: "not run", durationMs: 0, record: new CellRecord(options.output) });
      continue;
    }
    if (options.cells.length > 1) options.onCell(cellHeading(cell, index, options.cells.length), index + 1);
    options.output.mark();
    const run = await runCell(options, cell);
    if (run.status === "died") death = await options.lease.recover(run.record.asksForExit);
    runs.push(run);
  }
  return { runs, death };
}

async function runCell(
  { lease, output, widgets, signal, answer }: RunCellsOptions,
  cell: Cell,
): Promise<CellRun> {
  const record = new CellRecord(output, widgets);
  const startedAt = performance.now();
  const ended = (cut?: "died" | "interrupted"): CellRun => {
    record.finish();
    const status: CellStatus = cut ?? (record.error ? "error" : "ok");
    return { cell, status, durationMs: Math.round(performance.now() - startedAt), record };
  };
  // What arrived between this cell and the one before it belongs to this call, too.
  record.print(lease.kernel.takeLateOutput());
  const shown = lease.kernel.takeLateDisplays();
  if (shown.length > 0) record.print(`${SHOWN_LATE}\n`);
  for (const message of shown) record.receive(message);
  try {
    for await (const message of lease.kernel.execute(cell.code, { signal, answer })) record.receive(message);
    if (record.asksForExit && (await hasExited(lease.kernel))) return ended("died");
  } catch (error) {
    if (error instanceof KernelError && (error.kind === "died" || error.kind === "closed"))
      return ended("died");
    throw error;
  }
  return ended(signal.aborted ? "interrupted" : undefined);
}

/** A kernel ends a moment after its reply to `exit()`: no later cell may be sent to it meanwhile. */
async function hasExited(kernel: Kernel): Promise<boolean> {
  // A gateway would only notice after seconds, and start an empty one in its place.
  if (kernel.facts.location.gateway !== undefined) void kernel.shutdown();
  return await within(kernel.exited, EXIT_MS);
}

function cellHeading({ title = "" }: Cell, index: number, count: number): string {
  const words = Bun.stripANSI(title)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return `[${index + 1}/${count}]${words === "" ? "" : ` ${words}`}`;
}
