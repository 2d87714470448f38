/** What the schemas of the settings are made of. */

import * as z from "zod";

export const SECONDS_PER_DAY = 86_400;

export const text = z.string().min(1);
export const name = z.string().regex(/^[a-z0-9_-]+$/);

/** A setting that always has a value. */
export function setting<Schema extends z.ZodType>(
  schema: Schema,
  fallback: z.core.util.NoUndefined<z.core.output<Schema>>,
  description: string,
): z.ZodDefault<Schema> {
  return z._default(schema, fallback).describe(description);
}

export function numberFrom(minimum: number, maximum: number): z.ZodNumber {
  return z.number().min(minimum).max(maximum);
}

export function listOf<Item extends z.ZodType>(item: Item): z.ZodReadonly<z.ZodArray<Item>> {
  return z.array(item).readonly();
}
