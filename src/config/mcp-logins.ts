/** What the user's logins to MCP servers have left: a private file, by the server's address. */

import { readFileSync } from "node:fs";
import { attempt, systemCode } from "../protocol/error.ts";
import type { McpLogin, McpLoginStore } from "../protocol/mcp.ts";
import { asRecord, parseJson, type UnknownRecord } from "../protocol/record.ts";
import { ConfigError } from "./errors.ts";
import { replaceFile } from "./replace-file.ts";

/** @param url of the server. */
export function mcpLogins(file: string, url: string): McpLoginStore {
  return {
    read: () => asRecord(readAll(file)[url]),
    save: (login) => saveAll(file, { ...readAll(file), [url]: login satisfies McpLogin }),
  };
}

/** Nobody is logged in where the file cannot be read: the next login writes it again. */
function readAll(file: string): UnknownRecord {
  return asRecord(asRecord(parseJson(attempt(() => readFileSync(file, "utf8")) ?? ""))["servers"]);
}

function saveAll(file: string, servers: UnknownRecord): void {
  try {
    replaceFile(file, `${JSON.stringify({ version: 1, servers }, undefined, 2)}\n`);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    const issue = `cannot write ${file}`;
    throw new ConfigError({ kind: "unwritable", operation: "mcp", issue, code, cause: error });
  }
}
