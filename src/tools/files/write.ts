/** `write`: a whole file, new or replaced in one step. Never over something that the session has not seen. */

import * as z from "zod";
import prompt from "../../../prompts/tools/write.md" with { type: "text" };
import { count } from "../../format/numbers.ts";
import type { Tool, ToolContext, ToolResult } from "../../protocol/index.ts";
import { defineTool } from "../define-tool.ts";
import { pathField } from "../fields.ts";
import { ToolError } from "../tool-error.ts";
import { type ChangeRequest, changedOnDiskError, openTarget, replaceContent } from "./existing-file.ts";
import type { FileServices } from "./file-services.ts";
import { describeKept, inFormOf } from "./kept-form.ts";
import { countLines, decodeText, fileKind } from "./text-content.ts";
import { describeChange } from "./unified-diff.ts";

const operation = "write";

const schema = z.strictObject({
  path: pathField("File path."),
  content: z.string().describe("The whole new content."),
});

export type WriteInput = z.output<typeof schema>;

export function writeTool(services: FileServices): Tool<WriteInput> {
  return defineTool({
    name: operation,
    prompt,
    schema,
    readOnly: false,
    summary: ({ path, content }) => `${path}, ${amount(content)}`,
    run: (input, context) => write(input, context, services),
  });
}

async function write(input: WriteInput, context: ToolContext, services: FileServices): Promise<ToolResult> {
  const request: ChangeRequest = { operation, requested: input.path, context, services };
  const target = await openTarget(request);
  const { shown, existing } = target;
  if (existing?.freshness === "changed") throw changedOnDiskError(operation, shown);
  // In an empty file there is nothing to lose.
  if (existing?.freshness === "unread" && existing.content.length > 0) {
    // What is no text neither read nor edit will take.
    const isBinary = fileKind(existing.content, { whole: true }).kind === "binary";
    const issue = isBinary
      ? `'${shown}' exists and is not text (${count(existing.content.length, "byte")}): write another file, or remove it first`
      : `'${shown}' exists and was not read in this session: read it first, or use edit`;
    throw new ToolError({ operation, issue, code: "NOT_READ" });
  }
  const before = existing === undefined ? undefined : decodeText(existing.content);
  const { content, kept, changed } = inFormOf(before, input.content);
  const notKept = [...changed, ...(await replaceContent(request, target, content))];
  const created = existing === undefined;
  return {
    isError: false,
    output: `${created ? "Created" : "Overwrote"} ${shown}: ${amount(input.content, content.length)}${describeKept(kept, notKept)}`,
    details: {
      path: target.path,
      created,
      totalBytes: content.length,
      totalLines: countLines(input.content),
      ...(before === undefined ? {} : await describeChange(shown, before.text.toWellFormed(), input.content)),
      ...(kept.length === 0 ? {} : { kept }),
      ...(notKept.length === 0 ? {} : { notKept }),
    },
  };
}

function amount(content: string, bytes = Buffer.byteLength(content, "utf8")): string {
  return `${count(countLines(content), "line")}, ${count(bytes, "byte")}`;
}
