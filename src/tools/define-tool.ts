/** Makes a protocol `Tool` of a zod schema, a prompt and what to run. */

import * as z from "zod";
import type { JsonSchema, Tool, ToolConcurrency, ToolContext, ToolResult } from "../protocol/index.ts";
import { inputProblem } from "./input-problem.ts";

export interface ToolDefinition<Schema extends z.ZodObject> {
  readonly name: string;
  /** What the model reads, as Markdown from prompts/tools/. */
  readonly prompt: string;
  /** A `strictObject`: unknown fields are mistakes that the model should hear of. */
  readonly schema: Schema;
  readonly concurrency: ToolConcurrency;
  readonly readOnly: boolean;
  readonly summary: (input: z.output<Schema>) => string;
  /** Throws `ToolError` (or any `OmpError`) for trouble that the model is told in one line. */
  readonly run: (input: z.output<Schema>, context: ToolContext) => Promise<ToolResult>;
}

export function defineTool<Schema extends z.ZodObject>(
  definition: ToolDefinition<Schema>,
): Tool<z.output<Schema>> {
  const { name, schema, concurrency, readOnly, summary, run } = definition;
  let inputSchema: JsonSchema | undefined;
  return {
    name,
    description: definition.prompt.trim(),
    concurrency,
    readOnly,
    // Made when it is asked for: running a tool does not need it.
    get inputSchema() {
      inputSchema ??= jsonSchema(schema);
      return inputSchema;
    },
    check(raw) {
      const parsed = schema.safeParse(raw);
      if (parsed.success) return { ok: true, input: parsed.data };
      return { ok: false, problem: inputProblem(parsed.error.issues, raw) };
    },
    summary: (input) => oneLine(summary(input)),
    run,
  };
}

/** As the *caller* sees it (`io: "input"`), without the line that names the dialect: providers count every token. */
function jsonSchema(schema: z.ZodObject): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return rest;
}

const summaryLimit = 200;

function oneLine(text: string): string {
  const line = text.trim().replace(/\s*\n\s*/g, " ⏎ ");
  return line.length > summaryLimit ? `${line.slice(0, summaryLimit - 1)}…` : line;
}
