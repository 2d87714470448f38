/** JSON from elsewhere: objects whose fields nothing has checked yet. */

export type UnknownRecord = Record<string, unknown>;

export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is an object, else an empty one: for reaching into fields that may be missing at any depth. */
export function asRecord(value: unknown): UnknownRecord {
  return isRecord(value) ? value : {};
}
