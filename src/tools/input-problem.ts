/** One line, naming the field, for an input that misses its schema. Owns the wording; knows no tool. */

import type * as z from "zod";

type Issue = z.core.$ZodIssue;

/** Only the first problem is told: the next call shows the next one, and one line is what a model acts on. */
export function inputProblem(issues: readonly Issue[], raw: unknown): string {
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
      return `field '${field}' must be one of ${issue.values.join(", ")}, not ${shortly(value)}`;
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

function shortly(value: unknown): string {
  if (typeof value !== "string") return typeName(value);
  return `'${value.length > 40 ? `${value.slice(0, 40)}…` : value}'`;
}
