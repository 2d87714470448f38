/**
 * Whether a value fits a JSON schema: the one check of models' answers, tools' input and servers' forms. Draft 2020-12, unless the schema names
 * another. Loads Ajv, so whoever may do without is to load this file late.
 */

import { Ajv, AjvJsonSchemaValidator, addFormats } from "@modelcontextprotocol/client/validators/ajv";
import { once } from "../async/once.ts";
import { isRecord } from "../protocol/record.ts";

/** What is wrong with a value, in one line; undefined when it fits. */
export type SchemaCheck = (value: unknown) => string | undefined;

/** A loop over `omp.llm` brings the same schema again and again. */
const KEPT = 100;
const kept = new Map<string, SchemaCheck>();

/** Throws an Error for what is no schema. @param subject what the line calls the value itself. */
export function compileSchema(schema: object, subject: string): SchemaCheck {
  const key = `${subject} ${JSON.stringify(schema)}`;
  const known = kept.get(key);
  if (known) return known;
  const validate = schemaValidator.getValidator(schema);
  const check = (value: unknown) => {
    const checked = validate(value);
    return checked.valid ? undefined : worded(checked.errorMessage, subject);
  };
  if (kept.size >= KEPT) kept.clear();
  kept.set(key, check);
  return check;
}

/** For the SDK, which checks what servers return. */
export const schemaValidator = {
  // One Ajv a schema: it takes two with the same `$id` for one, and never forgets any.
  getValidator: <T>(schema: object) =>
    new AjvJsonSchemaValidator().getValidator<T>(withKnownFormats(schema) as Record<string, unknown>),
};

/** `data/path must be string` → `field 'path' must be string`. */
function worded(message: string, subject: string): string {
  return message
    .replace(/\bdata\/([^ ,]+)/g, (_, path: string) => `field '${path.replaceAll("/", ".")}'`)
    .replace(/\bdata must/g, `${subject} must`)
    .replace(/\bmust NOT\b/g, "must not");
}

const formats = once(() => new Set(Object.keys(addFormats(new Ajv()).formats)));
/** These hold values and no schemas. */
const VALUES = new Set(["const", "enum", "default", "examples"]);

/** Without the formats that nobody knows: they check nothing, and Ajv would write about them to the terminal. */
function withKnownFormats(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withKnownFormats);
  if (!isRecord(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => key !== "format" || typeof value !== "string" || formats.get().has(value))
      .map(([key, value]) => [key, VALUES.has(key) ? value : withKnownFormats(value)]),
  );
}
