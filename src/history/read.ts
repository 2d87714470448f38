/** Reads a log. A last line that was cut off by a crash is not a line; any other bad line is skipped and counted. */

import { readFileSync } from "node:fs";
import { systemCode } from "../protocol/index.ts";
import { asRecord, parseJson, type UnknownRecord } from "../protocol/record.ts";
import { LOG_VERSION, type RewoundEntry, type SessionEntry, type SessionHeader } from "./entry.ts";
import { SessionError } from "./errors.ts";
import { upgraded } from "./upgrade.ts";

export interface SessionContent {
  readonly header: SessionHeader;
  readonly entries: readonly SessionEntry[];
  /** Bytes up to the end of the last whole line: where the next line goes. */
  readonly wholeBytes: number;
  readonly badLines: number;
  /** The last return, and what counted before it. */
  readonly lastRewind: LastRewind | undefined;
}

export interface LastRewind {
  readonly entry: RewoundEntry & { readonly at?: string };
  readonly entries: readonly SessionEntry[];
}

export function readSession(path: string): SessionContent {
  const bytes = readBytes(path);
  const wholeBytes = bytes.lastIndexOf(NEWLINE) + 1;
  let header: SessionHeader | undefined;
  const entries: SessionEntry[] = [];
  let badLines = 0;
  let lastRewind: LastRewind | undefined;
  for (const line of wholeLines(bytes)) {
    const value = parseJson(line);
    if (header === undefined) {
      if (!isHeader(value)) break;
      refuseNewer(value);
      header = value;
    } else if (isRewound(value)) {
      lastRewind = { entry: value, entries: [...entries] };
      entries.length = Math.min(entries.length, value.keep);
    } else if (isEntry(value)) entries.push(upgraded(value));
    else badLines += 1;
  }
  if (header === undefined) {
    throw new SessionError({ kind: "unreadable", issue: `${path} is not a session log`, code: "BAD_LOG" });
  }
  return { header, entries, wholeBytes, badLines, lastRewind };
}

function refuseNewer({ id, version }: { readonly id: string; readonly version: number }): void {
  // Also for a log that has none.
  if (!(version > LOG_VERSION)) return;
  const issue = `session ${id} was written by a newer omp (log version ${version}, this omp knows ${LOG_VERSION}); update omp`;
  throw new SessionError({ kind: "unreadable", issue, code: "NEWER_VERSION" });
}

const NEWLINE = 0x0a;

/** Line by line: one string of the whole file would double what a long session takes. */
function* wholeLines(bytes: Buffer): Generator<string> {
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
    if (end > start) yield bytes.toString("utf8", start, end);
    start = end + 1;
  }
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = systemCode(error) ?? "UNREADABLE";
    throw new SessionError({ kind: "unreadable", issue: `cannot read ${path}`, code }, { cause: error });
  }
}

export function isHeader(value: unknown): value is SessionHeader {
  const { type, id, cwd, createdAt } = asRecord(value);
  return (
    type === "session" && typeof id === "string" && typeof cwd === "string" && typeof createdAt === "string"
  );
}

function isRewound(value: unknown): value is RewoundEntry {
  const { type, keep } = asRecord(value);
  return type === "rewound" && Number.isSafeInteger(keep) && Number(keep) >= 0;
}

/** Complete enough to work with. Types of a later version pass, and are ignored by this one. */
function isEntry(value: unknown): value is SessionEntry {
  const { type, at, ...rest } = asRecord(value);
  if (typeof type !== "string" || typeof at !== "string") return false;
  switch (type) {
    case "user":
    case "assistant":
      return asRecord(rest["message"])["role"] === type && isMessage(rest["message"]);
    case "tool_call":
      return hasTexts(rest, "id", "name");
    case "tool_result":
      return hasTexts(rest, "id") && isOutput(rest["result"]);
    case "compacted": {
      const { history = [] } = rest;
      return hasTexts(rest, "summary") && Array.isArray(history) && history.every(isMessage);
    }
    case "checkpoint":
      return isMoment(rest);
    case "notice":
      return hasTexts(rest, "text");
    case "error":
      return hasTexts(rest, "message");
    default:
      return true;
  }
}

function isMoment({ files, variables, shell, call }: UnknownRecord): boolean {
  const isTextOrNone = (field: unknown) => field === undefined || field === null || typeof field === "string";
  return (
    (files === undefined || hasTexts(asRecord(files), "snapshot", "root")) &&
    (shell === undefined || hasTexts(asRecord(shell), "state")) &&
    [variables, call].every(isTextOrNone)
  );
}

function isMessage(value: unknown): boolean {
  const { role, callId, content } = asRecord(value);
  if (role === "tool") return typeof callId === "string" && isOutput(value);
  return (role === "user" || role === "assistant") && Array.isArray(content) && content.every(isPart);
}

function isOutput(value: unknown): boolean {
  const { output, images = [] } = asRecord(value);
  const isImage = (image: unknown) => hasTexts(asRecord(image), "mediaType", "base64");
  return typeof output === "string" && Array.isArray(images) && images.every(isImage);
}

/** The fields of a message's part that all readers rely on. */
function isPart(value: unknown): boolean {
  const part = asRecord(value);
  switch (part["type"]) {
    case "text":
    case "reasoning":
      return hasTexts(part, "text");
    case "image":
      return hasTexts(part, "mediaType", "base64");
    case "tool_call":
      return hasTexts(part, "id", "name");
    default:
      return false;
  }
}

function hasTexts(fields: UnknownRecord, ...names: readonly string[]): boolean {
  return names.every((name) => typeof fields[name] === "string");
}
