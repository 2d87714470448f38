/** `ls`: what is in a directory, hidden entries too. */

import type { Dirent } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import prompt from "../../../prompts/tools/ls.md" with { type: "text" };
import { groupDigits } from "../../format/numbers.ts";
import { systemCode, type Tool, type ToolContext, type ToolResult } from "../../protocol/index.ts";
import { defineTool } from "../define-tool.ts";
import { countField, pathField } from "../fields.ts";
import type { LocatedPath } from "../paths.ts";
import { ToolError } from "../tool-error.ts";
import { fileError } from "./file-error.ts";
import type { FileServices } from "./file-services.ts";
import { lookInto } from "./held.ts";
import { fittingLines, openSearchTarget } from "./search-target.ts";
import { checkVisible } from "./visible.ts";

const operation = "ls";
const DEFAULT_LIMIT = 500;

const schema = z.strictObject({
  path: pathField("Directory; default: working directory.").optional(),
  limit: countField(1, { fallback: DEFAULT_LIMIT }),
});

export type LsInput = z.output<typeof schema>;

export function lsTool(services: FileServices): Tool<LsInput> {
  return defineTool({
    name: operation,
    prompt,
    schema,
    readOnly: true,
    summary: ({ path = "." }) => path,
    run: (input, context) => ls(input, context, services),
  });
}

async function ls(input: LsInput, context: ToolContext, services: FileServices): Promise<ToolResult> {
  const { limit = DEFAULT_LIMIT } = input;
  const target = await openSearchTarget(operation, input.path, context, services);
  if (!target.isDirectory) {
    throw new ToolError({ operation, issue: `'${target.shown}' is a file: use read`, code: "ENOTDIR" });
  }
  const entries = await listEntries(target, context);
  // Names first: what cannot be shown need not be looked at.
  const names = fittingLines(entries.slice(0, limit).map(({ name }) => name));
  const described = entries.slice(0, names.length).map((entry) => describe(target.path, entry));
  const lines = fittingLines(await Promise.all(described));
  const truncated = lines.length < entries.length;
  const advice = lines.length < limit ? "the output is full: use find" : "raise limit to see more";
  const notice = `[showing ${groupDigits(lines.length)} of ${groupDigits(entries.length)} entries; ${advice}]`;
  return {
    isError: false,
    output:
      entries.length === 0 ? "(empty directory)" : [...lines, ...(truncated ? [notice] : [])].join("\n"),
    details: { path: target.path, entries: entries.length, truncated },
  };
}

async function listEntries(located: LocatedPath, context: ToolContext): Promise<Dirent[]> {
  const { path, shown } = located;
  try {
    const list = (name: string) => readdir(name, { withFileTypes: true });
    const check = (name: string) => checkVisible({ operation, context, done: "listed" }, located, name);
    const entries = context.sandbox === undefined ? await list(path) : await lookInto(path, check, list);
    return entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  } catch (error) {
    throw fileError(error, { operation, shown, done: "listed" });
  }
}

/** `src/`, `main.ts 4.1K`, `current -> releases/7`. */
async function describe(directory: string, entry: Dirent): Promise<string> {
  const path = join(directory, entry.name);
  const name = entry.name.replace(/[\r\n]/g, "?");
  if (entry.isDirectory()) return `${name}/`;
  try {
    if (entry.isSymbolicLink()) return `${name} -> ${await readlink(path)}`;
    return entry.isFile() ? `${name} ${shortSize((await lstat(path)).size)}` : `${name} (special)`;
  } catch (error) {
    // Gone since the listing, or not to be looked at: its name is still what was asked for.
    if (systemCode(error) === undefined) throw error;
    return name;
  }
}

const units = ["B", "K", "M", "G", "T"];

export function shortSize(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${unit === 0 || size >= 9.95 ? Math.round(size) : size.toFixed(1)}${units[unit]}`;
}
