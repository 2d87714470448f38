/** Whether a model's answer is JSON that fits a schema. */

import { type JsonSchema, OmpError } from "../protocol/index.ts";
import { parseJson } from "../protocol/record.ts";

export type Checked =
  | { readonly ok: true; readonly value: unknown }
  /** One line, for the model. */
  | { readonly ok: false; readonly problem: string };

/** Throws OmpError for a schema that is none. */
export async function schemaCheck(schema: JsonSchema): Promise<(text: string) => Checked> {
  const { compileSchema } = await import("../schema/json-schema.ts");
  const problemOf = attemptRead(() => compileSchema(schema, "it"));
  return (text) => {
    const value = jsonIn(text);
    if (value === undefined) return { ok: false, problem: "it is not JSON" };
    const problem = problemOf(value);
    return problem === undefined ? { ok: true, value } : { ok: false, problem };
  };
}

function attemptRead<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    const issue = `the schema cannot be used: ${error instanceof Error ? error.message : String(error)}`;
    throw new OmpError({ operation: "omp.llm", issue, code: "SCHEMA" }, { cause: error });
  }
}

const FENCED = /```(?:json)?\s*\n([\s\S]*?)```/;

/** Models like to put a sentence or a fence around it. */
function jsonIn(text: string): unknown {
  const inFence = FENCED.exec(text)?.[1] ?? "";
  const start = text.search(/[[{]/);
  const end = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]"));
  for (const candidate of [text, inFence, text.slice(Math.max(start, 0), end + 1)]) {
    const value = parseJson(candidate.trim());
    if (value !== undefined) return value;
  }
  return undefined;
}
