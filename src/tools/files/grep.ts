/** `grep`: lines, files or counts that match a regular expression, through ripgrep. */

import * as z from "zod";
import prompt from "../../../prompts/tools/grep.md" with { type: "text" };
import { count } from "../../format/numbers.ts";
import type { Tool, ToolContext, ToolResult } from "../../protocol/index.ts";
import { defineTool } from "../define-tool.ts";
import { countField, pathField, textField } from "../fields.ts";
import { runRipgrep } from "../ripgrep.ts";
import type { FileServices } from "./file-services.ts";
import { type PathGlob, parseGlob } from "./glob.ts";
import { GrepHits, showHits } from "./grep-hits.ts";
import { namedIn, openSearchTarget, type SearchTarget, searchText } from "./search-target.ts";

const operation = "grep";
const DEFAULT_LIMIT = 100;
/** Bytes of a line that are shown. */
const MAX_COLUMNS = 500;
/** An exact count beyond this is of no use; the search ends. */
const MOST_MATCHES = 1_000_000;

const schema = z.strictObject({
  pattern: textField("Regular expression.").refine((text) => text !== "", { error: "must not be empty" }),
  path: pathField("File or directory; default: working directory.").optional(),
  glob: pathField("Only files that match, e.g. *.ts or src/**/*.py.").optional(),
  ignore_case: z.boolean().optional(),
  context: countField(0, { fallback: 0, description: "Lines around each match." }),
  limit: countField(1, { fallback: DEFAULT_LIMIT, description: "Most matches (or files) to show." }),
  mode: z
    .enum(["content", "files", "count"])
    .optional()
    .describe("Lines (default), file names, or counts by file."),
});

export type GrepInput = z.output<typeof schema>;

export function grepTool(services: FileServices): Tool<GrepInput> {
  return defineTool({
    name: operation,
    prompt,
    schema,
    readOnly: true,
    summary: ({ pattern, path, glob }) =>
      [pattern, path && `in ${path}`, glob && `(${glob})`].filter(Boolean).join(" "),
    run: (input, context) => grep(input, context, services),
  });
}

async function grep(input: GrepInput, context: ToolContext, services: FileServices): Promise<ToolResult> {
  const { mode = "content", limit = DEFAULT_LIMIT } = input;
  const searched = await openSearchTarget(operation, input.path, context, services);
  const named = input.glob === undefined ? undefined : await namedIn(searched, input.glob);
  const target =
    named === undefined ? searched : await openSearchTarget(operation, named.path, context, services);
  const glob = input.glob === undefined || named !== undefined ? undefined : parseGlob(input.glob);
  const hits = new GrepHits(limit);
  let binaryFiles = 0;
  const outcome = await runRipgrep({
    operation,
    args: [...ripgrepArguments(input, mode, glob), ...(await patternArguments(searched, input.pattern))],
    target: target.target,
    cwd: target.directory,
    signal: context.signal,
    services,
    separator: mode === "files" ? "\0" : "\n",
    onRecord: (record) => {
      const hit = mode === "files" ? { path: record, rest: "" } : splitRecord(record);
      if (hit === undefined) {
        if (/binary file matches \(found /.test(record)) binaryFiles++;
        return true;
      }
      const inside = target.inside(hit.path);
      if (glob !== undefined && !glob.matches(inside)) return true;
      if (mode !== "content") hits.addFile(inside, mode === "count" ? Number(hit.rest) : 1);
      else addLine(hits, inside, hit.rest);
      return hits.matches < MOST_MATCHES;
    },
  });
  const shown = showHits(hits, { mode, limit, show: target.show, complete: outcome.complete });
  const where = target.isDirectory ? " (ignored and hidden files are not searched)" : "";
  const binary = binaryFiles > 0 ? [`${count(binaryFiles, "binary file")} not shown`] : [];
  return {
    isError: outcome.timedOut,
    output: searchText(shown.text, {
      nothing: `No matches for '${input.pattern}' in ${target.shown}${where}`,
      notes: [...shown.notes, ...binary],
      outcome,
    }),
    details: {
      path: target.path,
      matches: hits.matches,
      files: hits.files,
      truncated: shown.truncated,
      timedOut: outcome.timedOut,
    },
  };
}

function ripgrepArguments(
  input: GrepInput,
  mode: "content" | "files" | "count",
  glob: PathGlob | undefined,
): string[] {
  return [
    // A second engine takes the patterns that the first one cannot: look-around and back-references.
    "--engine=auto",
    "--crlf",
    "--null",
    ...(namesNewline(input.pattern) ? ["--multiline"] : []),
    ...(input.ignore_case === true ? ["--ignore-case"] : []),
    ...(glob?.namesHidden === true ? ["--hidden", "--glob=!.git"] : []),
    ...ripgrepType(glob?.fileNames ?? []),
    ...(mode === "files" ? ["--files-with-matches"] : []),
    ...(mode === "count" ? ["--count", "--with-filename"] : []),
    ...(mode === "content"
      ? [
          "--line-number",
          "--with-filename",
          "--no-heading",
          `--max-columns=${MAX_COLUMNS}`,
          "--max-columns-preview",
          `--context=${input.context ?? 0}`,
        ]
      : []),
  ];
}

/** Who looks for the name of a file, `app/[id]/page.tsx`, means those characters, too. */
async function patternArguments(searched: SearchTarget, pattern: string): Promise<string[]> {
  const named = await namedIn(searched, pattern);
  const literal = pattern.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return ["-e", pattern, ...(named === undefined ? [] : ["-e", literal])];
}

/** A type of files that has these names. */
function ripgrepType(names: readonly string[]): string[] {
  return names.length === 0 ? [] : [...names.map((name) => `--type-add=omp:${name}`), "--type=omp"];
}

/** Line by line such a pattern would silently match nothing. An escaped backslash before an `n` does not count. */
function namesNewline(pattern: string): boolean {
  return /\n|(?<!\\)(?:\\\\)*\\n/.test(pattern);
}

/** `path NUL rest`. */
function splitRecord(record: string): { path: string; rest: string } | undefined {
  const end = record.indexOf("\0");
  return end === -1 ? undefined : { path: record.slice(0, end), rest: record.slice(end + 1) };
}

/** `12:text` is a match, `12-text` a line around one. */
function addLine(hits: GrepHits, path: string, rest: string): void {
  const [, number, mark, text = ""] = /^(\d+)([:-])([\s\S]*)$/.exec(rest) ?? [];
  if (number === undefined) return;
  hits.addLine(path, { number: Number(number), text: text.replace(/\r$/, ""), isMatch: mark === ":" });
}
