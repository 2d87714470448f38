/** Checks a call's input against the schema that the server gives, before anything is asked or sent. */

import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { once } from "../async/once.ts";
import type { InputCheck, JsonSchema } from "../protocol/index.ts";
import { isRecord } from "../protocol/record.ts";

const validators = once(() => new AjvJsonSchemaValidator());

type Input = Readonly<Record<string, unknown>>;

/** Compiled with the first check. A schema that makes no sense checks nothing: the server will say what it wants. */
export function inputCheck(schema: JsonSchema): (raw: unknown) => InputCheck<Input> {
  const problemOf = once(() => compile(schema));
  return (raw) => {
    const input = raw ?? {};
    if (!isRecord(input)) return { ok: false, problem: "input must be a JSON object" };
    const problem = problemOf.get()(input);
    return problem === undefined ? { ok: true, input } : { ok: false, problem };
  };
}

function compile(schema: JsonSchema): (input: Input) => string | undefined {
  try {
    const validate = validators.get().getValidator(schema);
    return (input) => {
      const checked = validate(input);
      return checked.valid ? undefined : worded(checked.errorMessage);
    };
  } catch {
    return () => undefined;
  }
}

/** `data/path must be string` → `field 'path' must be string`. */
function worded(message: string): string {
  return message
    .replace(/\bdata\/([^ ,]+)/g, (_, path: string) => `field '${path.replaceAll("/", ".")}'`)
    .replace(/\bdata must/g, "input must");
}
