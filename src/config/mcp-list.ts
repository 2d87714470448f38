/** A file with MCP servers, in the form that many agents read: `{"mcpServers": {name: …}}`. */

import { isRecord, parseJson, type UnknownRecord } from "../protocol/record.ts";
import { ConfigError } from "./errors.ts";
import { projectPathsIn } from "./paths.ts";
import { readProjectFile } from "./project-file.ts";

const MAX_BYTES = 1_000_000;
/** Its tools are called `mcp__<name>__<tool>`, and its prompts `/<name>:<prompt>`. */
export const SERVER_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/;

export interface ServerList {
  readonly servers: UnknownRecord;
  /** Of the file. */
  readonly text: string;
}

/**
 * The definitions by name; empty when there is no such file. Throws ConfigError.
 * @param root of the project that the file belongs to; undefined for the user's own.
 */
export function readServerList(file: string, root?: string): ServerList {
  const read = readProjectFile(file, { root, maxBytes: MAX_BYTES });
  if (read === undefined) return { servers: {}, text: "" };
  if ("problem" in read) throw listError("unreadable", `${file} ${read.problem}`, read.code);
  const text = new TextDecoder().decode(read.bytes);
  const document = read.isCut ? undefined : parseJson(text);
  const servers = isRecord(document) ? (document["mcpServers"] ?? {}) : undefined;
  if (!isRecord(servers)) throw listError("syntax-error", `${file} is not JSON with {"mcpServers": {…}}`);
  return { servers, text };
}

function listError(kind: "unreadable" | "syntax-error", issue: string, code?: string): ConfigError {
  return new ConfigError({ kind, operation: "mcp", issue, code });
}

/** A stranger's mistake must not keep omp from starting: the list is empty then, and the problem is one line. */
export function projectServers(root: string): {
  readonly servers: UnknownRecord;
  readonly problem?: string | undefined;
} {
  try {
    return { servers: readServerList(projectPathsIn(root).mcpFile, root).servers };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { servers: {}, problem: error.message };
  }
}
