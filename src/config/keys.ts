/** The list of settings, derived from the schema: as JSON Schema, and key by key with the valid values in words. Loads zod. */

import * as z from "zod";
import { nearestName } from "../format/nearest.ts";
import type { JsonSchema } from "../protocol/tool.ts";
import { ConfigError, type ConfigErrorParts, positionText, quoted } from "./errors.ts";
import { settingsFileSchema } from "./schema.ts";

export type SchemaNode = z.core.JSONSchema.BaseSchema;

/** The content of docs/settings.schema.json, which editors use. */
export function settingsJsonSchema(): JsonSchema {
  // Editors understand draft 7 best.
  const { $schema, ...rest } = z.toJSONSchema(settingsFileSchema, { io: "input", target: "draft-7" });
  return {
    $schema,
    title: "omp settings",
    description: "~/.omp/agent/omp.jsonc and <project>/.omp/omp.jsonc",
    ...rest,
  };
}

export interface SettingKey {
  /** Dotted: `python.toolMode`. */
  readonly key: string;
  readonly path: readonly string[];
  readonly description: string;
  /** The valid values, in words that follow "must be". */
  readonly expected: string;
  /** For a list: the valid items. */
  readonly expectedItem: string | undefined;
  /** Undefined for settings without a default. */
  readonly defaultValue: unknown;
}

export interface SettingGroup {
  readonly name: string;
  readonly description: string;
  readonly keys: readonly SettingKey[];
}

export function settingGroups(): readonly SettingGroup[] {
  return children(settingsJsonSchema())
    .filter(([name]) => name !== "$schema")
    .map(([name, node]) => ({ name, description: node.description ?? "", keys: leaves(node, [name]) }));
}

export function settingKeys(): readonly SettingKey[] {
  return settingGroups().flatMap((group) => group.keys);
}

/** Throws ConfigError with the nearest name when there is no such setting. */
export function settingKey(name: string): SettingKey {
  const found = settingKeys().find(({ key }) => key === name);
  if (found !== undefined) return found;
  const group = settingGroups().find((candidate) => candidate.name === name);
  if (group === undefined) throw unknownKeyError(name, { operation: "config" });
  throw new ConfigError({
    kind: "unknown-key",
    operation: "config",
    key: name,
    issue: `${quoted(name)} is a group; its keys are ${group.keys.map(({ key }) => key).join(", ")}`,
  });
}

export function unknownKeyError(
  name: string,
  parts: Pick<ConfigErrorParts, "operation" | "position">,
): ConfigError {
  const keys = settingKeys().map(({ key }) => key);
  const groups = settingGroups().map((group) => group.name);
  // A word without a dot may be a misspelt group; a dotted one is always meant to be a setting.
  const suggestion = nearestName(name, name.includes(".") ? keys : [...groups, ...keys]);
  const hint =
    suggestion === undefined
      ? "; 'omp config list' shows every key"
      : suggestion === name
        ? `; write it as ${nestedForm(name)}`
        : `, did you mean ${quoted(suggestion)}?`;
  const where = parts.position === undefined ? "" : ` at ${positionText(parts.position)}`;
  return new ConfigError({
    ...parts,
    kind: "unknown-key",
    key: name,
    issue: `unknown key ${quoted(name)}${where}${hint}`,
  });
}

/** `python.toolMode` as a settings file has it: `{"python": {"toolMode": …}}`. */
function nestedForm(name: string): string {
  return name.split(".").reduceRight((inner, part) => `{"${part}": ${inner}}`, "…");
}

function children(node: SchemaNode): [string, SchemaNode][] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) =>
    typeof child === "object" ? [[name, child] satisfies [string, SchemaNode]] : [],
  );
}

function leaves(node: SchemaNode, path: readonly string[]): SettingKey[] {
  if (node.properties !== undefined) {
    return children(node).flatMap(([name, child]) => leaves(child, [...path, name]));
  }
  const item = node.items;
  return [
    {
      key: path.join("."),
      path,
      description: node.description ?? "",
      expected: describeValues(node),
      expectedItem:
        typeof item === "object" && !Array.isArray(item)
          ? (item.description ?? describeValues(item))
          : undefined,
      defaultValue: node.default,
    },
  ];
}

function describeValues(node: SchemaNode): string {
  if (node.enum !== undefined) return alternatives(node.enum.map((value) => JSON.stringify(value)));
  switch (node.type) {
    case "boolean":
      return "true or false";
    case "integer":
      return `a whole number from ${node.minimum} to ${node.maximum}`;
    case "number":
      return `a number from ${node.minimum} to ${node.maximum}`;
    case "array":
      return typeof node.items === "object" && !Array.isArray(node.items) && node.items.type === "object"
        ? "a list"
        : "a list of strings";
    case "string":
      return node.minLength === undefined ? "a string" : "a non-empty string";
    default:
      return typeof node.additionalProperties === "object" ? "objects by name" : "an object";
  }
}

function alternatives(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
