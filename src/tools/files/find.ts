/** `find`: files and directories whose path matches a glob, through ripgrep's walk. */

import * as z from "zod";
import prompt from "../../../prompts/tools/find.md" with { type: "text" };
import { groupDigits } from "../../format/numbers.ts";
import type { Tool, ToolContext, ToolResult } from "../../protocol/index.ts";
import { defineTool } from "../define-tool.ts";
import { countField, pathField } from "../fields.ts";
import { runRipgrep, type SearchOutcome } from "../ripgrep.ts";
import { ToolError } from "../tool-error.ts";
import type { FileServices } from "./file-services.ts";
import { parseGlob } from "./glob.ts";
import {
  fittingLines,
  type NamedPath,
  namedIn,
  openSearchTarget,
  type SearchTarget,
  searchText,
} from "./search-target.ts";

const operation = "find";
const DEFAULT_LIMIT = 200;

const schema = z.strictObject({
  pattern: pathField("Glob: *.ts at any depth, src/**/*.test.ts below path."),
  path: pathField("Directory; default: working directory.").optional(),
  type: z.enum(["file", "directory", "any"]).optional().describe("Default file."),
  limit: countField(1, { fallback: DEFAULT_LIMIT }),
});

export type FindInput = z.output<typeof schema>;

export function findTool(services: FileServices): Tool<FindInput> {
  return defineTool({
    name: operation,
    prompt,
    schema,
    readOnly: true,
    summary: ({ pattern, path }) => (path === undefined ? pattern : `${pattern} in ${path}`),
    run: (input, context) => find(input, context, services),
  });
}

async function find(input: FindInput, context: ToolContext, services: FileServices): Promise<ToolResult> {
  const { limit = DEFAULT_LIMIT } = input;
  const { pattern, path } = splitAbsolute(input);
  const target = await openSearchTarget(operation, path, context, services);
  if (!target.isDirectory) {
    const issue = `'${target.shown}' is a file, not a directory`;
    throw new ToolError({ operation, issue, code: "ENOTDIR" });
  }
  const named = await namedIn(target, pattern);
  const { found, outcome } =
    named !== undefined && isOfType(named, input.type)
      ? { found: [named.isDirectory ? `${named.inside}/` : named.inside], outcome: NOTHING_MISSED }
      : await walk(target, { pattern, type: input.type ?? "file" }, context.signal, services);
  const paths = found.sort();
  const shown = fittingLines(paths.slice(0, limit).map(target.show));
  const truncated = shown.length < paths.length;
  const note = `showing ${groupDigits(shown.length)} of ${groupDigits(paths.length)}; narrow the pattern or raise limit`;
  return {
    isError: outcome.timedOut,
    output: searchText(shown.join("\n"), {
      nothing: `Nothing matches '${input.pattern}' in ${target.shown} (ignored and hidden files are left out)`,
      notes: truncated ? [note] : [],
      outcome,
    }),
    details: { path: target.path, matches: paths.length, truncated, timedOut: outcome.timedOut },
  };
}

const NOTHING_MISSED: SearchOutcome = { complete: true, notice: undefined, timedOut: false };

/** A path that is named as a whole may be either, where the call does not say. */
function isOfType({ isDirectory }: NamedPath, type: FindInput["type"]): boolean {
  return type === undefined || type === "any" || isDirectory === (type === "directory");
}

async function walk(
  target: SearchTarget,
  { pattern, type }: Required<Pick<FindInput, "pattern" | "type">>,
  signal: AbortSignal,
  services: FileServices,
): Promise<{ found: string[]; outcome: SearchOutcome }> {
  const glob = parseGlob(pattern);
  const found = new Set<string>();
  const walked = new Set<string>();
  const outcome = await runRipgrep({
    operation,
    args: ["--files", "--null", ...(glob.namesHidden ? ["--hidden", "--glob=!.git"] : [])],
    target: target.target,
    cwd: target.directory,
    signal,
    services,
    separator: "\0",
    onRecord: (record) => {
      const file = target.inside(record);
      if (type !== "directory" && glob.matches(file)) found.add(file);
      if (type !== "file") addDirectories(file, { walked, found, matches: glob.matches });
      return true;
    },
  });
  return { found: [...found], outcome };
}

/** Models like to write the directory into the pattern: `/home/me/project/src/**`, `../lib/*.ts`. */
function splitAbsolute({ pattern, path }: FindInput): { pattern: string; path: string | undefined } {
  if (path !== undefined || !/^(?:|~|\.\.|@project)\//.test(pattern)) return { pattern, path };
  const parts = pattern.split("/");
  const firstGlob = parts.findIndex((part) => /[*?[\]{}]/.test(part));
  const end = firstGlob === -1 ? parts.length - 1 : firstGlob;
  return {
    pattern: `./${parts.slice(end).join("/") || "*"}`,
    path: `${parts.slice(0, end).join("/")}/`,
  };
}

/** Ripgrep names files only: a directory is one that has a file somewhere below. */
function addDirectories(
  file: string,
  seen: { walked: Set<string>; found: Set<string>; matches: (path: string) => boolean },
): void {
  for (let end = file.lastIndexOf("/"); end > 0; end = file.lastIndexOf("/", end - 1)) {
    const directory = file.slice(0, end);
    if (seen.walked.has(directory)) return;
    seen.walked.add(directory);
    if (seen.matches(directory)) seen.found.add(`${directory}/`);
  }
}
