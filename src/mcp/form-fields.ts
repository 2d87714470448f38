/** The form that a server wants filled in: its schema → fields, each with what it takes and why it does not take something. */

import type { ElicitRequestFormParams } from "@modelcontextprotocol/client";
import { once } from "../async/once.ts";
import type { McpField, McpValue } from "../protocol/mcp.ts";
import { asRecord, type UnknownRecord } from "../protocol/record.ts";
import { lenientCheck } from "./input-check.ts";

type Choices = McpField["choices"];

export function readFields({
  properties,
  required = [],
}: ElicitRequestFormParams["requestedSchema"]): McpField[] {
  return Object.entries(properties).map(([name, property]) => readField(name, asRecord(property), required));
}

function readField(name: string, schema: UnknownRecord, required: readonly string[]): McpField {
  const isMany = schema["type"] === "array";
  const check = checkOf(schema);
  return {
    name,
    title: textOf(schema["title"]) || name,
    description: textOf(schema["description"]),
    isRequired: required.includes(name),
    initial: isValue(schema["default"]) ? schema["default"] : undefined,
    choices: schema["type"] === "boolean" ? yesAndNo : choicesOf(isMany ? asRecord(schema["items"]) : schema),
    isMany,
    check,
    read: (text) => {
      const value = writtenValue(text, schema["type"]);
      const problem = value === undefined ? "must be a number" : check(value);
      return value === undefined || problem !== undefined ? { problem: problem ?? "" } : { value };
    },
  };
}

const yesAndNo: Choices = [
  { value: true, label: "Yes" },
  { value: false, label: "No" },
];

/** Every form of a choice that the protocol has had: plain, with titles, and with titles beside it. */
function choicesOf(schema: UnknownRecord): Choices {
  const titled = schema["oneOf"] ?? schema["anyOf"];
  if (Array.isArray(titled)) {
    return titled.map(asRecord).flatMap(({ const: value, title }) => {
      return typeof value === "string" ? [{ value, label: textOf(title) || value }] : [];
    });
  }
  const { enum: values, enumNames } = schema;
  if (!Array.isArray(values)) return [];
  const labels = Array.isArray(enumNames) ? enumNames : [];
  return values.map(String).map((value, at) => ({ value, label: textOf(labels[at]) || value }));
}

function writtenValue(text: string, type: unknown): McpValue | undefined {
  if (type !== "number" && type !== "integer") return text;
  const number = text.trim() === "" ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : undefined;
}

function checkOf(schema: UnknownRecord): McpField["check"] {
  const problemOf = once(() => lenientCheck(schema, "it"));
  return (value) =>
    problemOf
      .get()(value)
      ?.replace(/\b(?:it|field '\d+') must/g, "must");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function isValue(value: unknown): value is McpValue {
  return (
    ["string", "number", "boolean"].includes(typeof value) ||
    (Array.isArray(value) && value.every((item) => typeof item === "string"))
  );
}
