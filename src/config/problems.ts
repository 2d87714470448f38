/**
 * What is wrong with a value, in the words that follow "settings:". Inside lists of objects, such as `gateways`, the field is
 * named but its value is never repeated: it may be a token, or an address with one in it.
 */

import { nearestName } from "../format/nearest.ts";
import { asRecord, isRecord } from "../protocol/record.ts";
import { type FilePosition, positionText, quoted } from "./errors.ts";
import { type SchemaNode, settingKeys, settingsJsonSchema } from "./keys.ts";

type Path = readonly PropertyKey[];

/** @param root the whole content of a settings file, which the path leads through. */
export function describeInvalidValue(path: Path, root: unknown): string {
  const names = path.filter((part) => typeof part === "string");
  let value = root;
  for (const part of path) value = Array.isArray(value) ? value[Number(part)] : asRecord(value)[String(part)];
  if (names.length === 0) return `the file must contain an object, not ${shorten(value)}`;
  const firstIndex = path.findIndex((part) => typeof part === "number");
  if (firstIndex !== -1 && firstIndex < path.length - 1) return describeInvalidField(path, value);

  const key = names.join(".");
  const setting = settingKeys().find((candidate) => candidate.key === key);
  const inList = firstIndex !== -1;
  const expected = (inList ? setting?.expectedItem : setting?.expected) ?? "an object";
  // A misplaced value among the gateways may be a token.
  const found = key === "gateways" ? "" : `, not ${shorten(value)}`;
  return `${inList ? "each item of " : ""}${quoted(key)} must be ${expected}${found}`;
}

/** `'gateways[0].url' must be …`. A problem inside a record is reported for the record as a whole. */
function describeInvalidField(path: Path, value: unknown): string {
  const { schema, depth } = schemaAt(path);
  const expected = schema?.description;
  if (value === undefined) {
    const item = quoted(fieldName(path.slice(0, -1)));
    return `${item} needs ${quoted(String(path.at(-1)))}${expected === undefined ? "" : `: ${expected}`}`;
  }
  const field = quoted(fieldName(path.slice(0, depth)));
  return expected === undefined ? `${field} has an invalid value` : `${field} must be ${expected}`;
}

/** `unknown key 'tokenenv' in 'gateways[0]', did you mean 'tokenEnv'?` */
export function describeUnknownField(path: Path, name: string, position?: FilePosition): string {
  const names = Object.keys(schemaAt(path).schema?.properties ?? {});
  const nearest = nearestName(name, names);
  const hint =
    nearest === undefined ? `; valid keys are ${names.join(", ")}` : `, did you mean ${quoted(nearest)}?`;
  const where = position === undefined ? "" : ` at ${positionText(position)}`;
  return `unknown key ${quoted(name)} in ${quoted(fieldName(path))}${where}${hint}`;
}

function fieldName(path: Path): string {
  return path
    .map((part, index) =>
      typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${String(part)}`,
    )
    .join("");
}

/** The schema at the end of a path, or of the record on the way, and how much of the path leads there. */
function schemaAt(path: Path): { readonly schema: SchemaNode | undefined; readonly depth: number } {
  let schema: SchemaNode = settingsJsonSchema();
  for (const [depth, part] of path.entries()) {
    const next: unknown = typeof part === "number" ? schema.items : schema.properties?.[String(part)];
    if (!isRecord(next)) return { schema: schema.properties === undefined ? schema : undefined, depth };
    schema = next;
  }
  return { schema, depth: path.length };
}

function shorten(value: unknown): string {
  const json = JSON.stringify(value) ?? "nothing";
  return json.length > 40 ? `${json.slice(0, 39)}…` : json;
}
