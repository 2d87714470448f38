/** Schema fields that the file tools share. */

import * as z from "zod";
import { textField } from "../fields.ts";

export function pathField(description: string) {
  return textField(description).refine((path) => path !== "", { error: "must not be empty" });
}

/** A whole number. Not `z.int()`: the bounds that it adds to the JSON schema are tokens that tell a model nothing. */
export function countField(description: string, least: number) {
  return z
    .number()
    .refine((count) => Number.isSafeInteger(count) && count >= least, {
      error: `must be a whole number of at least ${least}`,
    })
    .describe(description)
    .optional();
}
