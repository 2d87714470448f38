/**
 * What is wrong inside a list of objects, such as `gateways`: the field by name, and what it may be. A value is never repeated
 * here: it may be a token, or an address with one in it.
 */

import type * as z from "zod";
import { quoted } from "./errors.ts";
import { settingsJsonSchema } from "./json-schema.ts";
import { nearestName } from "./nearest.ts";

type SchemaNode = z.core.JSONSchema.BaseSchema;

/** Whether the path leads into an object in a list. */
export function isInsideItem(path: readonly PropertyKey[]): boolean {
  const index = path.findIndex((part) => typeof part === "number");
  return index !== -1 && index < path.length - 1;
}

/** `'gateways[0].url' must be …`. What is in a record is told by the record's name. */
export function itemProblem(
  path: readonly PropertyKey[],
  { isMissing }: { readonly isMissing: boolean },
): string {
  const { schema, depth } = schemaAt(path);
  const expected = schema?.description;
  if (isMissing) {
    const whole = quoted(fieldName(path.slice(0, -1)));
    return `${whole} needs ${quoted(String(path.at(-1)))}${expected === undefined ? "" : `: ${expected}`}`;
  }
  const field = quoted(fieldName(path.slice(0, depth)));
  return expected === undefined ? `${field} has a value that it cannot have` : `${field} must be ${expected}`;
}

/** `unknown key 'tokenenv' in 'gateways[0]', did you mean 'tokenEnv'?` */
export function unknownField(path: readonly PropertyKey[], name: string): string {
  const names = Object.keys(schemaAt(path).schema?.properties ?? {});
  const nearest = nearestName(name, names);
  const hint =
    nearest === undefined ? `; there are ${names.join(", ")}` : `, did you mean ${quoted(nearest)}?`;
  return `unknown key ${quoted(name)} in ${quoted(fieldName(path))}${hint}`;
}

function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) =>
      typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${String(part)}`,
    )
    .join("");
}

/** The schema of what a path leads to, or of the record on the way, and how much of the path leads there. */
function schemaAt(path: readonly PropertyKey[]): {
  readonly schema: SchemaNode | undefined;
  readonly depth: number;
} {
  let schema: SchemaNode = settingsJsonSchema();
  for (const [depth, part] of path.entries()) {
    const next: unknown = typeof part === "number" ? schema.items : schema.properties?.[String(part)];
    if (!isSchema(next)) return { schema: schema.properties === undefined ? schema : undefined, depth };
    schema = next;
  }
  return { schema, depth: path.length };
}

function isSchema(value: unknown): value is SchemaNode {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
