/** `edit`: exact text replaced in a file, all edits of a call or none. */

import * as z from "zod";
import prompt from "../../../prompts/tools/edit.md" with { type: "text" };
import { count } from "../../format/numbers.ts";
import type { Tool, ToolContext, ToolResult } from "../../protocol/index.ts";
import { isRecord, parseJson } from "../../protocol/record.ts";
import { defineTool } from "../define-tool.ts";
import { pathField } from "../fields.ts";
import { ToolError } from "../tool-error.ts";
import { applyEdits, type TextEdit } from "./edit-plan.ts";
import { explainProblem } from "./edit-problem.ts";
import { encodingNames } from "./encodings.ts";
import { type ChangeRequest, changedOnDiskError, openTarget, replaceContent } from "./existing-file.ts";
import type { FileServices } from "./file-services.ts";
import { describeKept } from "./kept-form.ts";
import { missingFileError } from "./near-names.ts";
import { decodeText, encodeText } from "./text-content.ts";
import { describeChange } from "./unified-diff.ts";

const operation = "edit";

const schema = z.strictObject({
  path: pathField("File path."),
  edits: z
    .array(
      z.strictObject({
        old_text: z.string().describe("Text to replace, exactly as in the file."),
        new_text: z.string().describe("What to put there."),
        replace_all: z.boolean().optional().describe("Replace every occurrence."),
      }),
    )
    .refine((edits) => edits.length > 0, { error: "must have at least one edit" }),
});

export type EditInput = z.output<typeof schema>;

export function editTool(services: FileServices): Tool<EditInput> {
  return defineTool({
    name: operation,
    prompt,
    schema,
    prepare: withEditList,
    readOnly: false,
    summary: ({ path, edits }) => `${path}, ${count(edits.length, "edit")}`,
    run: (input, context) => edit(input, context, services),
  });
}

/**
 * Models slip in three ways that leave no doubt of what is meant: the texts of a single edit beside `path`, one edit
 * without its list, and the list as a string of JSON.
 */
function withEditList(raw: unknown): unknown {
  if (!isRecord(raw)) return raw;
  const { old_text, new_text, replace_all, ...rest } = raw;
  if ("edits" in rest) {
    const written = rest["edits"];
    const parsed = typeof written === "string" ? parseJson(written) : undefined;
    const edits = parsed === undefined ? written : parsed;
    return { ...raw, edits: isRecord(edits) && "old_text" in edits ? [edits] : edits };
  }
  if (old_text === undefined && new_text === undefined) return raw;
  return { ...rest, edits: [{ old_text, new_text, ...(replace_all === undefined ? {} : { replace_all }) }] };
}

async function edit(input: EditInput, context: ToolContext, services: FileServices): Promise<ToolResult> {
  const request: ChangeRequest = { operation, requested: input.path, context, services };
  const target = await openTarget(request);
  const { shown, existing } = target;
  if (existing === undefined) throw await missingFileError(operation, target, context.cwd);
  if (existing.freshness === "changed") throw changedOnDiskError(operation, shown);
  const before = decodeText(existing.content);
  if (before === undefined) {
    const issue = `'${shown}' is not text (${count(existing.content.length, "byte")})`;
    throw new ToolError({ operation, issue, code: "BINARY" });
  }
  const edits = input.edits.map(
    ({ old_text, new_text, replace_all }): TextEdit => ({
      oldText: old_text,
      newText: new_text,
      replaceAll: replace_all ?? false,
    }),
  );
  const outcome = applyEdits(before.text, edits);
  const shownText = before.text.toWellFormed();
  if ("problem" in outcome) return explainProblem(outcome.problem, { shown, text: shownText, edits });
  const { text, lines, replacements } = outcome.done;
  const content = encodeText({ ...before, text });
  if (content === undefined) {
    const issue = `'${shown}' is not UTF-8 but ${encodingNames[before.encoding]}, which has no way to write some character of the new text`;
    throw new ToolError({ operation, issue, code: "ENCODING" });
  }
  const notKept = await replaceContent(request, target, content);
  const change = await describeChange(shown, shownText, text.toWellFormed());
  return {
    isError: false,
    output: `Edited ${shown}: ${describe(replacements, lines)}${describeCounts(change)}${describeKept([], notKept)}`,
    details: {
      path: target.path,
      replacements,
      firstChangedLine: lines[0],
      totalBytes: content.length,
      ...change,
      ...(notKept.length === 0 ? {} : { notKept }),
    },
  };
}

const MOST_LINES = 10;

function describe(replacements: number, lines: readonly number[]): string {
  const places = [...new Set(lines)];
  const named = places.slice(0, MOST_LINES).join(", ");
  const rest = places.length > MOST_LINES ? ` and ${places.length - MOST_LINES} more` : "";
  return `${count(replacements, "replacement")} at ${places.length === 1 ? "line" : "lines"} ${named}${rest}`;
}

function describeCounts({ additions, deletions }: { additions?: number; deletions?: number }): string {
  return additions === undefined ? "" : ` (+${additions} -${deletions})`;
}
