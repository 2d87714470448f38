/** Schema fields that several tools share, and how their values are read. */

import { resolve } from "node:path";
import * as z from "zod";
import { directoryProblem } from "../process/spawn-fresh.ts";
import type { ToolContext } from "../protocol/index.ts";
import { expandHome } from "./paths.ts";
import { ToolError } from "./tool-error.ts";

/** Text that ends up as an argument or in a path, where the system allows no NUL. */
export function textField(description: string) {
  return z
    .string()
    .refine((text) => !text.includes("\0"), { error: "must not contain a NUL character" })
    .describe(description);
}

export function pathField(description: string) {
  return textField(description).refine((path) => path !== "", { error: "must not be empty" });
}

/** A whole number. Not `z.int()`: the upper bound that it adds to the JSON schema is tokens that tell a model nothing. */
export function countField(
  least: number,
  { fallback, description }: { readonly fallback?: number; readonly description?: string } = {},
) {
  return z
    .number()
    .refine((count) => Number.isSafeInteger(count) && count >= least, {
      error: `must be a whole number of at least ${least}`,
    })
    .optional()
    .meta({
      ...(description === undefined ? {} : { description }),
      minimum: least,
      ...(fallback === undefined ? {} : { default: fallback }),
    });
}

/** False unless the call says otherwise. */
export function flagField(description: string) {
  return z.boolean().optional().meta({ description, default: false });
}

export interface TimeoutRange {
  readonly unit: "seconds" | "milliseconds";
  readonly min: number;
  readonly max: number;
  /** Used when the call has none. */
  readonly fallback: number;
}

/**
 * `minimum` and `maximum` are only what the model is shown: a number out of range is clamped, not refused. What is not a number
 * (NaN, a string, null) does not match the schema.
 */
export function timeoutField({ unit, min, max, fallback }: TimeoutRange) {
  const description = `Time limit in ${unit}.`;
  return z.number().optional().meta({ description, minimum: min, maximum: max, default: fallback });
}

export interface ChosenTimeout {
  readonly milliseconds: number;
  readonly seconds: number;
  /** A sentence for the result when the number was out of range. */
  readonly remark: string | undefined;
}

export function chooseTimeout(requested: number | undefined, range: TimeoutRange): ChosenTimeout {
  const wanted = requested ?? range.fallback;
  const used = Math.min(Math.max(wanted, range.min), range.max);
  const milliseconds = Math.round(range.unit === "seconds" ? used * 1000 : used);
  return {
    milliseconds,
    seconds: milliseconds / 1000,
    remark:
      used === wanted
        ? undefined
        : `timeout ${wanted} is outside ${range.min} to ${range.max} ${range.unit}; ${used} was used`,
  };
}

/**
 * The `cwd` of a tool that runs something; an unusable one is refused before anything starts.
 * @param requested as the model wrote it; relative to the session's directory, which is also the default.
 */
export function resolveWorkingDirectory(
  operation: string,
  requested: string | undefined,
  { cwd, home, sandbox }: Pick<ToolContext, "cwd" | "home" | "sandbox">,
): string {
  const directory = resolve(cwd, expandHome(requested ?? "", home ?? "~"));
  const found = directoryProblem(sandbox?.outside(directory) ?? directory);
  if (found === undefined) return directory;
  const issue = `Working directory ${found.problem} '${directory}'`;
  throw new ToolError({ operation, issue, code: found.code });
}
