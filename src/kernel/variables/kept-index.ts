/** What a file of kept variables holds, as the kernel that wrote it reported (keep.py), and as it is told to the user and the model. */

import { isRecord } from "../../protocol/record.ts";

export interface KeptIndex {
  readonly format: number;
  readonly python: string;
  /** `cloudpickle 3.1.2`, or `pickle`, which keeps fewer kinds of values. */
  readonly pickler: string;
  /** Where the bytes of one or several values are, and what they need. */
  readonly units: readonly {
    readonly at: number;
    readonly sizes: readonly number[];
    readonly sha256: string;
    readonly values: readonly string[];
    readonly refersTo: readonly string[];
    readonly names: readonly string[];
  }[];
  readonly values: Readonly<Record<string, { readonly names: readonly string[]; readonly type: string }>>;
  readonly modules: Readonly<Record<string, string>>;
  readonly notKept: readonly { readonly name: string; readonly type: string; readonly why: string }[];
  readonly notes: readonly string[];
}

/** Enough of a check to know that it is one: the kernel that reads it looks at the format. */
export function isKeptIndex(value: unknown): value is KeptIndex {
  return (
    isRecord(value) &&
    typeof value["format"] === "number" &&
    Array.isArray(value["units"]) &&
    isRecord(value["values"]) &&
    isRecord(value["modules"]) &&
    Array.isArray(value["notKept"]) &&
    Array.isArray(value["notes"])
  );
}

export function bytesOf({ units }: KeptIndex): number {
  return units.reduce((sum, { sizes }) => sum + sizes.reduce((all, size) => all + size, 0), 0);
}

/** Variables and imports, in alphabetical order. */
export function keptNames({ values, modules }: KeptIndex): string[] {
  return [...Object.values(values).flatMap(({ names }) => names), ...Object.keys(modules)].sort();
}

const MAX_NAMES = 20;

/** `a, b, c`, or the first of many and how many there are besides. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(", ");
  return names.length <= MAX_NAMES ? shown : `${shown} and ${names.length - MAX_NAMES} more`;
}

/** `gen (generator: cannot pickle 'generator' object)`; undefined when everything was kept. */
export function listNotKept({ notKept }: Pick<KeptIndex, "notKept">): string | undefined {
  if (notKept.length === 0) return undefined;
  return listNames(notKept.map(({ name, type, why }) => `${name} (${type}: ${why})`));
}
