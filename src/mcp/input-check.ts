/** Checks a call's input against the schema that the server gives, before anything is asked or sent. */

import { once } from "../async/once.ts";
import type { InputCheck, JsonSchema } from "../protocol/index.ts";
import { isRecord } from "../protocol/record.ts";
import { compileSchema, type SchemaCheck } from "../schema/json-schema.ts";

type Input = Readonly<Record<string, unknown>>;

/** Compiled with the first check. */
export function inputCheck(schema: JsonSchema): (raw: unknown) => InputCheck<Input> {
  const problemOf = once(() => lenientCheck(schema, "input"));
  return (raw) => {
    const input = raw ?? {};
    if (!isRecord(input)) return { ok: false, problem: "input must be a JSON object" };
    const problem = problemOf.get()(input);
    return problem === undefined ? { ok: true, input } : { ok: false, problem };
  };
}

/** A schema that makes no sense checks nothing: the server will say what it wants. */
export function lenientCheck(schema: object, subject: string): SchemaCheck {
  try {
    return compileSchema(schema, subject);
  } catch {
    return () => undefined;
  }
}
