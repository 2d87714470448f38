/** Makes a protocol `Tool` of a zod schema, a prompt and a function to run. Owns the wording for input that does not match its schema. */

import * as z from "zod";
import type { JsonSchema, Tool, ToolConcurrency, ToolContext, ToolResult } from "../protocol/index.ts";

export interface ToolDefinition<Schema extends z.ZodObject>
  extends Pick<Tool<z.output<Schema>>, "name" | "readOnly" | "summary"> {
  /** What the model reads, as Markdown from prompts/tools/. */
  readonly prompt: string;
  /** A `strictObject`: unknown fields are mistakes that the model should learn about. */
  readonly schema: Schema;
  /** What the model is shown, where the tool accepts more than that. */
  readonly shown?: () => z.ZodObject;
  /** Corrects slips whose meaning is clear, before the input is checked. */
  readonly prepare?: (raw: unknown) => unknown;
  /** Default: a call that changes nothing may run beside others. */
  readonly concurrency?: ToolConcurrency;
  /** Throws `ToolError` (or any `OmpError`) for problems that are reported to the model in one line. */
  readonly run: (input: z.output<Schema>, context: ToolContext) => Promise<ToolResult>;
}

export function defineTool<Schema extends z.ZodObject>(
  definition: ToolDefinition<Schema>,
): Tool<z.output<Schema>> {
  const { name, schema, readOnly, run } = definition;
  const schemas = new Map<z.ZodObject, JsonSchema>();
  return {
    name,
    description: definition.prompt.trim(),
    concurrency: definition.concurrency ?? (readOnly ? "parallel" : "exclusive"),
    readOnly,
    // Made when it is asked for: running a tool does not need it.
    get inputSchema() {
      const shown = definition.shown?.() ?? schema;
      const known = schemas.get(shown) ?? jsonSchema(shown);
      schemas.set(shown, known);
      return known;
    },
    check(raw) {
      const given = definition.prepare?.(raw) ?? raw;
      const parsed = schema.safeParse(given);
      if (parsed.success) return { ok: true, input: parsed.data };
      return { ok: false, problem: describeProblem(parsed.error.issues, given) };
    },
    summary: (input) => oneLine(definition.summary(input)),
    run,
  };
}

/** As the *caller* sees it (`io: "input"`), without the line that names the dialect: providers count every token. */
function jsonSchema(schema: z.ZodObject): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: "input" });
  return rest;
}

const SUMMARY_LIMIT = 200;

function oneLine(text: string): string {
  const line = text.trim().replace(/\s*\n\s*/g, " ⏎ ");
  return line.length > SUMMARY_LIMIT ? `${line.slice(0, SUMMARY_LIMIT - 1)}…` : line;
}

type Issue = z.core.$ZodIssue;

/** One line that names the field. Only the first problem is reported: the next call shows the next one, and one line is what a model acts on. */
function describeProblem(issues: readonly Issue[], raw: unknown): string {
  const [issue] = issues;
  if (issue === undefined) return "input is not valid";
  const value = valueAt(raw, issue.path);
  const field = fieldName(issue.path);
  switch (issue.code) {
    case "unrecognized_keys": {
      const inner = field === undefined ? "" : ` in '${field}'`;
      return `unknown field '${issue.keys.join("', '")}'${inner}`;
    }
    case "invalid_type":
      if (field === undefined) return `input must be a JSON object, not ${typeName(value)}`;
      if (value === undefined) return `field '${field}' is required`;
      return `field '${field}' must be ${expectedNames[issue.expected] ?? issue.expected}, not ${typeName(value)}`;
    case "invalid_value":
      if (value === undefined) return `field '${field}' is required`;
      return `field '${field}' must be one of ${issue.values.join(", ")}, not ${shorten(value)}`;
    default:
      return field === undefined ? issue.message : `field '${field}' ${issue.message}`;
  }
}

const expectedNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
};

/** `cells[0].code`, as a model would write it. */
function fieldName(path: readonly PropertyKey[]): string | undefined {
  if (path.length === 0) return undefined;
  return path.reduce<string>((name, key) => {
    if (typeof key === "number") return `${name}[${key}]`;
    return name === "" ? String(key) : `${name}.${String(key)}`;
  }, "");
}

function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    if (typeof value !== "object" || value === null) return undefined;
    return Reflect.get(value, key);
  }, raw);
}

function typeName(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function shorten(value: unknown): string {
  if (typeof value !== "string") return typeName(value);
  return `'${value.length > 40 ? `${value.slice(0, 40)}…` : value}'`;
}
