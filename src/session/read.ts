/** Reads a log. A last line that was cut off by a crash is not a line; any other bad line is skipped and counted. */

import { readFileSync } from "node:fs";
import { systemCode } from "../protocol/index.ts";
import type { SessionEntry, SessionHeader } from "./entry.ts";
import { SessionError } from "./errors.ts";

export interface SessionContent {
  readonly header: SessionHeader;
  readonly entries: readonly SessionEntry[];
  /** Bytes up to the end of the last whole line: where the next line goes. */
  readonly wholeBytes: number;
  readonly badLines: number;
}

export function readSession(path: string): SessionContent {
  const bytes = readBytes(path);
  const wholeBytes = bytes.lastIndexOf(0x0a) + 1;
  const [first, ...rest] = bytes.subarray(0, wholeBytes).toString("utf8").split("\n").filter(Boolean);
  const header = first === undefined ? undefined : parse(first);
  if (!isHeader(header)) {
    throw new SessionError({ kind: "unreadable", issue: `${path} is not a session log`, code: "BAD_LOG" });
  }
  const parsed = rest.map(parse);
  const entries = parsed.filter(isEntry);
  return { header, entries, wholeBytes, badLines: parsed.length - entries.length };
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = systemCode(error) ?? "UNREADABLE";
    throw new SessionError({ kind: "unreadable", issue: `cannot read ${path}`, code }, { cause: error });
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function isHeader(value: unknown): value is SessionHeader {
  return (
    typeof value === "object" &&
    value !== null &&
    "type" in value &&
    value.type === "session" &&
    "id" in value
  );
}

function isEntry(value: unknown): value is SessionEntry {
  return typeof value === "object" && value !== null && "type" in value && "at" in value;
}
