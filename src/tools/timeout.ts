/** Time limits as tools take them: a number in the tool's own unit, clamped to its range, and said when it was. */

import * as z from "zod";

export interface TimeoutRange {
  readonly unit: "seconds" | "milliseconds";
  readonly min: number;
  readonly max: number;
  /** Used when the call names none. */
  readonly fallback: number;
}

export interface ChosenTimeout {
  readonly milliseconds: number;
  readonly seconds: number;
  /** One line for the result when the number was out of range. */
  readonly notice: string | undefined;
}

/**
 * The schema's field. Without `minimum` and `maximum`: a number out of range is clamped, not refused, and some providers
 * refuse on their own what a schema rules out. Not a number (NaN, a string, null) misses the schema.
 */
export function timeoutField({ unit, min, max, fallback }: TimeoutRange) {
  return z.number().optional().describe(`Time limit in ${unit}, ${min} to ${max}; default ${fallback}.`);
}

export function chooseTimeout(requested: number | undefined, range: TimeoutRange): ChosenTimeout {
  const wanted = requested ?? range.fallback;
  const used = Math.min(Math.max(wanted, range.min), range.max);
  const milliseconds = Math.round(range.unit === "seconds" ? used * 1000 : used);
  return {
    milliseconds,
    seconds: milliseconds / 1000,
    notice:
      used === wanted
        ? undefined
        : `[timeout ${wanted} is outside ${range.min} to ${range.max} ${range.unit}; ${used} was used]`,
  };
}
