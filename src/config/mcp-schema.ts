/** The settings about MCP servers. */

import * as z from "zod";
import { defaultSettings as defaults } from "./defaults.ts";
import { listOf, numberFrom, SECONDS_PER_DAY, setting, text } from "./schema-parts.ts";

const textsByName = z.record(z.string(), z.string());

const mcpServer = z.strictObject({
  type: z.enum(["stdio", "http"]).optional(),
  command: text.optional(),
  args: listOf(z.string()).optional(),
  env: textsByName.optional(),
  cwd: text.optional(),
  url: text.optional(),
  headers: textsByName.optional(),
});

export const mcp = z.strictObject({
  servers: setting(
    z.record(z.string(), mcpServer),
    defaults.mcp.servers,
    "MCP servers by name: `command`, `args`, `env` and `cwd` of a program, or `url` and `headers` of a streamable HTTP server. Variables such as `$NAME` in braces are filled in from your environment. Only in your own settings.",
  ),
  expose: setting(
    z.enum(["auto", "tools", "cells"]),
    defaults.mcp.expose,
    "How the model reaches the tools of servers: `tools` offers all of them with every request, `cells` only by name from Python cells, `auto` offers those that fit into 16 KB and leaves the rest to cells.",
  ),
  sandbox: setting(
    z.boolean(),
    defaults.mcp.sandbox,
    "With a sandbox, the programs of servers run in it as well. Only in your own settings.",
  ),
  startTimeout: setting(
    numberFrom(1, 600),
    defaults.mcp.startTimeout,
    "Seconds that a server may take to start and to list its tools.",
  ),
  timeout: setting(
    numberFrom(1, SECONDS_PER_DAY),
    defaults.mcp.timeout,
    "Seconds that a call may take without an answer or a sign of progress.",
  ),
});
