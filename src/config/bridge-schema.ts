/** The settings of what cells may ask of omp. */

import * as z from "zod";
import { defaultSettings } from "./defaults.ts";
import { setting } from "./schema-parts.ts";

const { bridge: defaults } = defaultSettings;

export const bridge = z.strictObject({
  existingKernels: setting(
    z.boolean(),
    defaults.existingKernels,
    "Whether `omp` is also defined in kernels that omp did not start (`--kernel`). Only in your own settings.",
  ),
  maxCalls: setting(
    z.int().min(0).max(1_000_000),
    defaults.maxCalls,
    "How many calls the cells of one `python` call may make; 0 switches them off.",
  ),
  maxConcurrency: setting(
    z.int().min(1).max(256),
    defaults.maxConcurrency,
    "How many of them, and how many subagents of a session, run at the same time; the others wait. Calls that change something never overlap.",
  ),
  maxCostUsd: setting(
    z.number().min(0).max(100_000),
    defaults.maxCostUsd,
    "Dollars that `omp.llm`, `omp.agent` and `omp.tools.task` may cost in one `python` call, with the subagents that it has started: when they are spent, nothing further is asked. Models without a known price are not counted. Only in your own settings.",
  ),
  maxDepth: setting(
    z.int().min(1).max(3),
    defaults.maxDepth,
    "How deep calls and subagents may be nested: a cell that calls `python` in another directory, whose cell calls a tool, is 2; so is a subagent of a subagent.",
  ),
});
