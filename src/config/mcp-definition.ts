/** One MCP server as a file defines it: `{"command", "args", "env", "cwd"}`, or `{"url", "headers"}`. */

import { resolve } from "node:path";
import type { McpOrigin, McpServerDefinition } from "../protocol/mcp.ts";
import { isRecord } from "../protocol/record.ts";
import { VariableFiller } from "./mcp-variables.ts";
import type { EnvironmentVariables } from "./paths.ts";

export interface DefinitionPlace {
  readonly origin: McpOrigin;
  readonly env: EnvironmentVariables;
  /** Where the server's program starts unless the definition says so. */
  readonly start: string;
  /** What a relative `cwd` is relative to. */
  readonly root: string;
}

/** What makes no sense is a problem of this server alone: the others still work. */
export function readDefinition(
  name: string,
  raw: unknown,
  { origin, env, start, root }: DefinitionPlace,
): McpServerDefinition {
  const unusable = (problem: string, target = "") => ({ name, origin, endpoint: undefined, problem, target });
  if (!isRecord(raw)) return unusable("is not an object");
  const filler = new VariableFiller(env);
  const finished = (endpoint: McpServerDefinition["endpoint"], target: string) => {
    const missing = [...filler.missing].map((variable) => `\${${variable}}`);
    if (missing.length > 0) return unusable(`needs ${missing.join(", ")}, which is not set`, target);
    return { name, origin, endpoint, target };
  };
  const { command, url, args = [], env: variables = {}, headers = {}, cwd = start, type } = raw;
  if (type === "sse") return unusable("uses the old SSE transport; give its streamable HTTP address");
  if (typeof command === "string" && command !== "") {
    if (!isTexts(args)) return unusable("has 'args' that are not a list of strings", command);
    if (!isTextRecord(variables)) return unusable("has an 'env' that is not strings by name", command);
    if (typeof cwd !== "string") return unusable("has a 'cwd' that is not a string", command);
    const endpoint = {
      kind: "stdio" as const,
      command: filler.fill(command),
      args: args.map((argument) => filler.fill(argument)),
      env: filler.fillValues(variables),
      cwd: resolve(root, filler.fill(cwd)),
    };
    return finished(endpoint, [command, ...args].join(" "));
  }
  if (typeof url === "string" && url !== "") {
    if (!isTextRecord(headers)) return unusable("has 'headers' that are not strings by name", url);
    const filled = filler.fill(url);
    const isMissing = filler.missing.size > 0;
    if (!isMissing && !/^https?:$/.test(URL.parse(filled)?.protocol ?? ""))
      return unusable("has a 'url' that is not an http(s) address", url);
    return finished({ kind: "http", url: filled, headers: filler.fillValues(headers) }, url);
  }
  return unusable("has neither a 'command' nor a 'url'");
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isTextRecord(value: unknown): value is Readonly<Record<string, string>> {
  return isRecord(value) && Object.values(value).every((item) => typeof item === "string");
}
