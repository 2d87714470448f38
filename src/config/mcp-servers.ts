/**
 * Which MCP servers there are: those of the user's settings, of the user's list (`omp mcp add` writes it) and of the project's
 * `.mcp.json`, which counts only where the project is trusted. The user's own win where names are equal: a project must not put itself
 * in the place of a server that the user knows. Nor do the user's own start in the project unless they are told to: `python -m`, `npx` and
 * others run first of all what is called so where they are started.
 */

import type { McpOrigin, McpServerDefinition } from "../protocol/mcp.ts";
import type { UnknownRecord } from "../protocol/record.ts";
import { readDefinition } from "./mcp-definition.ts";
import { projectServers, readServerList, SERVER_NAME } from "./mcp-list.ts";
import type { EnvironmentVariables, OmpPaths } from "./paths.ts";
import type { Settings } from "./schema.ts";
import type { Project } from "./trust.ts";

export interface McpServersOptions {
  readonly paths: Pick<OmpPaths, "mcpFile" | "userHome">;
  readonly project: Pick<Project, "root" | "isTrusted">;
  readonly settings: Pick<Settings, "mcp">;
  readonly env: EnvironmentVariables;
}

/** By name. Throws ConfigError when the user's own list cannot be read; a project's is then as if it were empty, with a warning. */
export function mcpServers({ paths, project, settings, env }: McpServersOptions): {
  readonly servers: readonly McpServerDefinition[];
  readonly warnings: readonly string[];
} {
  const sources: [McpOrigin, UnknownRecord][] = [
    ["settings", settings.mcp.servers],
    ["user", readServerList(paths.mcpFile).servers],
  ];
  const warnings: string[] = [];
  if (project.isTrusted) {
    const { servers, problem } = projectServers(project.root);
    sources.push(["project", servers]);
    if (problem !== undefined) warnings.push(problem);
  }
  const found = new Map<string, McpServerDefinition>();
  for (const [origin, list] of sources) {
    for (const [name, raw] of Object.entries(list)) {
      if (found.has(name)) continue;
      const start = origin === "project" ? project.root : paths.userHome;
      const place = { origin, env, start, root: project.root };
      found.set(
        name,
        SERVER_NAME.test(name)
          ? readDefinition(name, raw, place)
          : { name, origin, endpoint: undefined, target: "", problem: "has an invalid name" },
      );
    }
  }
  const servers = [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  return { servers, warnings };
}
