/** What a list shows of a session, read from the start of its log only: a list of a thousand must not read them whole. */

import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { attempt } from "../protocol/index.ts";
import { parseJson } from "../protocol/record.ts";
import type { SessionHeader } from "./entry.ts";
import { isHeader } from "./read.ts";

export interface SessionSummary extends Pick<SessionHeader, "id" | "cwd" | "createdAt" | "parent" | "agent"> {
  readonly path: string;
  readonly changedAt: string;
  readonly bytes: number;
  /** The beginning of the first prompt. */
  readonly title: string;
}

const { O_NONBLOCK, O_RDONLY } = constants;

/** Enough for the header and the first prompt's beginning. */
const HEAD_BYTES = 8_192;
const TITLE_CHARS = 80;
/** Marks a message that is no prompt. */
const NOT_A_PROMPT = /"origin":\{"kind":"(?:ran|announcement|resumed|repetition)"/;

/** What the user ran, where nothing was asked. */
const RAN = /"origin":\{"kind":"ran","tool":"(\w+)","code":("(?:[^"\\]|\\u[0-9a-f]{4}|\\[^u])*)/;

/** Undefined for what is no log, or has gone since the directory was read. */
export function summaryOf(path: string): SessionSummary | undefined {
  // Gone, not for us to read, a link to itself: one bad file does not hide the others.
  const head = attempt(() => headOf(path));
  if (head === undefined) return undefined;
  const [first = "", ...rest] = head.text.split("\n");
  const header = parseJson(first);
  if (!isHeader(header)) return undefined;
  const { id, cwd, createdAt, parent, agent } = header;
  return {
    id,
    path,
    cwd,
    createdAt,
    changedAt: head.changedAt,
    bytes: head.bytes,
    ...(parent === undefined ? {} : { parent }),
    ...(agent === undefined ? {} : { agent }),
    title: titleOf(rest),
  };
}

function headOf(path: string) {
  // Opened without waiting, since a pipe has no end; what is no file is no log.
  const file = openSync(path, O_RDONLY | O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return undefined;
    const head = Buffer.alloc(Math.min(stats.size, HEAD_BYTES));
    const length = readSync(file, head, 0, head.length, 0);
    const changedAt = stats.mtime.toISOString();
    return { text: head.toString("utf8", 0, length), changedAt, bytes: stats.size };
  } finally {
    closeSync(file);
  }
}

/** The first prompt's words, also when the line is too long to be whole here. */
function titleOf(lines: readonly string[]): string {
  const messages = lines.filter((line) => line.includes('"type":"user"'));
  const line = messages.find((each) => !NOT_A_PROMPT.test(each)) ?? messages[0] ?? "";
  const [, tool, code] = RAN.exec(line) ?? [];
  const sign = tool === undefined ? "" : tool === "bash" ? "!" : "$";
  const literal = code ?? /"type":"text","text":("(?:[^"\\]|\\u[0-9a-f]{4}|\\[^u])*)/.exec(line)?.[1];
  const text = literal === undefined ? undefined : sign + String(parseJson(`${literal}"`) ?? "");
  const words = [...(typeof text === "string" ? text : "").replace(/[\s\p{Cc}]+/gu, " ").trim()];
  return words.length > TITLE_CHARS ? `${words.slice(0, TITLE_CHARS - 1).join("")}…` : words.join("");
}
