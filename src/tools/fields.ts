/** Schema fields that several tools share. */

import * as z from "zod";

/** Text that ends up as an argument or in a path, where the system knows no NUL. */
export function textField(description: string) {
  return z
    .string()
    .refine((text) => !text.includes("\0"), { error: "must not contain a NUL character" })
    .describe(description);
}
