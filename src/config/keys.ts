/** The settings one by one: dotted names, what each may be in words. Made from the schema; loads zod. */

import type * as z from "zod";
import { ConfigError, type ConfigErrorParts, quoted } from "./errors.ts";
import { settingsJsonSchema } from "./json-schema.ts";
import { nearestName } from "./nearest.ts";

type SchemaNode = z.core.JSONSchema.BaseSchema;

export interface SettingKey {
  /** Dotted: `python.toolMode`. */
  readonly key: string;
  readonly path: readonly string[];
  readonly description: string;
  /** What a value may be, in words that follow "must be". */
  readonly expected: string;
  /** For a list: what each of its items may be. */
  readonly expectedItem: string | undefined;
  /** Undefined for the settings that have none. */
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

/** The setting of that name; throws ConfigError with the nearest one when there is none. */
export function settingKey(name: string): SettingKey {
  const found = settingKeys().find(({ key }) => key === name);
  if (found !== undefined) return found;
  const group = settingGroups().find((candidate) => candidate.name === name);
  if (group === undefined) throw unknownKey(name, { operation: "config" });
  throw new ConfigError({
    kind: "unknown-key",
    operation: "config",
    key: name,
    issue: `${quoted(name)} is a group; its keys are ${group.keys.map(({ key }) => key).join(", ")}`,
  });
}

/** The error for a name that no setting has. `at` says where it stands. */
export function unknownKey(
  name: string,
  options: { readonly at?: string } & Pick<ConfigErrorParts, "operation" | "position"> = {},
): ConfigError {
  const { at, ...parts } = options;
  const keys = settingKeys().map(({ key }) => key);
  const groups = settingGroups().map((group) => group.name);
  // A word without a dot may be a group misspelt; a dotted one is always meant to be a setting.
  const suggestion = nearestName(name, name.includes(".") ? keys : [...groups, ...keys]);
  const hint =
    suggestion === undefined
      ? "; 'omp config list' shows every key"
      : suggestion === name
        ? `; a file holds it as ${nestedForm(name)}`
        : `, did you mean ${quoted(suggestion)}?`;
  const where = at === undefined ? "" : ` at ${at}`;
  return new ConfigError({
    ...parts,
    kind: "unknown-key",
    key: name,
    issue: `unknown key ${quoted(name)}${where}${hint}`,
  });
}

/** `python.toolMode` as it has to be written: `{"python": {"toolMode": …}}`. */
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
      expected: inWords(node),
      expectedItem:
        typeof item === "object" && !Array.isArray(item) ? (item.description ?? inWords(item)) : undefined,
      defaultValue: node.default,
    },
  ];
}

function inWords(node: SchemaNode): string {
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
      return node.minLength === undefined ? "a string" : "a string that is not empty";
    default:
      return "an object";
  }
}

function alternatives(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
