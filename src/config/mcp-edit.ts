/** Adds servers to a list of MCP servers, and removes them. What else is in the file stays as it is. */

import { systemCode } from "../protocol/error.ts";
import type { Invocation } from "../protocol/invocation.ts";
import { editText } from "./edit.ts";
import { ConfigError } from "./errors.ts";
import { readServerList, SERVER_NAME } from "./mcp-list.ts";
import { ompPaths } from "./paths.ts";
import { replaceFile } from "./replace-file.ts";
import { openProject, trustProject } from "./trust.ts";

export interface ServerEdit {
  readonly name: string;
  /** In the project's `.mcp.json` instead of the user's list. */
  readonly isProject: boolean;
}

/** Throws ConfigError, and has changed nothing then. @returns the file. */
export function addServer(edit: ServerEdit, definition: object, invocation: Invocation): string {
  const { name } = edit;
  if (!SERVER_NAME.test(name))
    throw editError(`'${name}' is not a valid server name; use letters, digits, '-', '_' and '.'`);
  return change(edit, invocation, (servers, file) => {
    if (name in servers)
      throw editError(`${file} already has a server '${name}'; to remove it: omp mcp remove ${name}`);
    return definition;
  });
}

/** Throws ConfigError, and has changed nothing then. @returns the file. */
export function removeServer(edit: ServerEdit, invocation: Invocation): string {
  return change(edit, invocation, (servers, file) => {
    if (edit.name in servers) return undefined;
    const names = Object.keys(servers).join(", ") || "none";
    throw editError(`${file} has no server '${edit.name}'; it has ${names}`);
  });
}

function change(
  { name, isProject }: ServerEdit,
  invocation: Invocation,
  decide: (servers: object, file: string) => object | undefined,
): string {
  const paths = ompPaths(invocation);
  const project = openProject(invocation, paths);
  const file = isProject ? project.mcpFile : paths.mcpFile;
  const { servers, text } = readServerList(file, isProject ? project.root : undefined);
  const definition = decide(servers, file);
  try {
    replaceFile(file, editText(text, ["mcpServers", name], definition));
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    throw new ConfigError({ kind: "unwritable", operation: "mcp", issue: `cannot write ${file}`, code });
  }
  // What the user writes with omp needs no question; what was there before still does.
  if (isProject && project.isTrusted)
    trustProject({ root: project.root, cwd: invocation.cwd, trustFile: paths.trustFile });
  return file;
}

function editError(issue: string): ConfigError {
  return new ConfigError({ kind: "invalid-value", operation: "mcp", issue });
}
