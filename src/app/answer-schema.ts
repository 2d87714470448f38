/** `--output-schema`: an answer that has to be JSON of a certain form. */

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { OmpError, systemCode } from "../protocol/index.ts";
import { isRecord, parseJson } from "../protocol/record.ts";

export interface AnswerSchema {
  /** For the system prompt. */
  readonly instruction: string;
  /** The answer without a fence around it, or why it does not fit. */
  check(text: string): { readonly answer: string } | { readonly problem: string };
}

const FENCE = /^```(?:json)?\s*\n([\s\S]*?)\n?```$/;

/** Throws OmpError when the file is not a JSON schema. */
export async function readAnswerSchema(file: string, cwd: string): Promise<AnswerSchema> {
  const schema = readSchema(resolve(cwd, file));
  const { compileSchema } = await import("../schema/json-schema.ts");
  const problemOf = compiled(() => compileSchema(schema, "the answer"), file);
  return {
    instruction: `Your last message is read by a program. It has to be JSON that fits this JSON schema, and nothing else:\n${JSON.stringify(schema)}`,
    check: (text) => {
      const trimmed = text.trim();
      const answer = FENCE.exec(trimmed)?.[1]?.trim() ?? trimmed;
      const value = parseJson(answer);
      if (value === undefined) return { problem: "it is not JSON" };
      const problem = problemOf(value);
      return problem === undefined ? { answer } : { problem };
    },
  };
}

function readSchema(path: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw schemaError(`cannot read '${path}'`, systemCode(error) ?? "UNREADABLE", error);
  }
  const schema = parseJson(text);
  if (!isRecord(schema)) throw schemaError(`'${path}' is not a JSON schema`, "INVALID_SCHEMA");
  return schema;
}

function compiled<T>(compile: () => T, file: string): T {
  try {
    return compile();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw schemaError(`'${file}' is not a JSON schema: ${why}`, "INVALID_SCHEMA", error);
  }
}

function schemaError(issue: string, code: string, cause?: unknown): OmpError {
  return new OmpError({ operation: "omp --output-schema", issue, code }, { cause });
}
