/** `read`: a file as the model can use it: numbered lines, a picture, the cells of a notebook, or what else it is. */

import * as z from "zod";
import prompt from "../../../prompts/tools/read.md" with { type: "text" };
import { count } from "../../format/numbers.ts";
import { ARTIFACT_SCHEME } from "../../output/artifacts.ts";
import { systemCode, type Tool, type ToolContext, type ToolResult } from "../../protocol/index.ts";
import { defineTool } from "../define-tool.ts";
import { countField, pathField } from "../fields.ts";
import { type LocatedPath, locate } from "../paths.ts";
import { fitImageForModel, type PictureType } from "../python/images.ts";
import { ToolError } from "../tool-error.ts";
import type { FileServices } from "./file-services.ts";
import { MAX_CHARS } from "./line-scan.ts";
import { type OpenedFile, withOpenedFile } from "./opened-file.ts";
import { MAX_LINES, readTextRange } from "./read-text.ts";
import { decodeText, fileKind } from "./text-content.ts";

const operation = "read";
/** Larger ones are no pictures that a model could make anything of. */
const MAX_PICTURE_BYTES = 50_000_000;
const MAX_NOTEBOOK_BYTES = 50_000_000;

const schema = z.strictObject({
  path: pathField("File path, or artifact://<id>."),
  offset: z
    .number()
    .refine((line) => Number.isSafeInteger(line) && line !== 0, { error: "must be a whole number, not 0" })
    .describe("First line, from 1; -n: the last n lines.")
    .optional(),
  limit: countField(1, { fallback: MAX_LINES, description: "Number of lines." }),
});

export type ReadInput = z.output<typeof schema>;

export function readTool(services: FileServices): Tool<ReadInput> {
  return defineTool({
    name: operation,
    prompt,
    schema,
    readOnly: true,
    summary: ({ path, offset, limit }) =>
      [path, offset && `from line ${offset}`, limit && `${limit} lines`].filter(Boolean).join(", "),
    run: (input, context) => read(input, context, services),
  });
}

async function read(input: ReadInput, context: ToolContext, services: FileServices): Promise<ToolResult> {
  const isArtifact = input.path.startsWith(ARTIFACT_SCHEME);
  const located = isArtifact
    ? locateArtifact(input.path, services)
    : locate({ operation, requested: input.path, context, home: services.home });
  return withOpenedFile(
    { operation, located, cwd: context.cwd, ...(isArtifact ? {} : { context }) },
    async (file) => {
      const result = await show(file, { input, context, located, isArtifact });
      if (!isArtifact) services.freshness.remember(file.realPath, file.facts);
      return result;
    },
  );
}

function locateArtifact(reference: string, services: FileServices): LocatedPath {
  try {
    const path = services.artifacts()?.find(reference);
    if (path !== undefined) return { path, shown: reference };
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    const issue = `'${reference}' cannot be read`;
    throw new ToolError({ operation, issue, code }, { cause: error });
  }
  const issue = `no such artifact '${reference}': it does not exist or was cleaned up`;
  throw new ToolError({ operation, issue, code: "ENOENT" });
}

interface Request {
  readonly input: ReadInput;
  readonly context: ToolContext;
  readonly located: LocatedPath;
  readonly isArtifact: boolean;
}

async function show(file: OpenedFile, request: Request): Promise<ToolResult> {
  const { input, located, isArtifact } = request;
  const details = { path: located.path, totalBytes: file.size };
  const kind = fileKind(file.start, { whole: file.whole });
  if (kind.kind === "picture") return showPicture(file, kind.mediaType, located);
  if (kind.kind === "binary") {
    const issue = `'${located.shown}' is not text (${kind.type}, ${count(file.size, "byte")}): use python or a program that knows it`;
    throw new ToolError({ operation, issue, code: "BINARY" });
  }
  // A byte order mark alone is no content, either.
  if (file.start.length === kind.markBytes) {
    return {
      isError: false,
      output: "(empty file)",
      details: { ...details, totalLines: 0, truncated: false },
    };
  }
  if (located.path.endsWith(".ipynb") && !isArtifact) {
    const view = await showNotebook(file, request);
    if (view !== undefined) return { ...view, details: { ...details, ...view.details } };
  }
  const view = await readTextRange({
    handle: file.handle,
    form: kind,
    shown: located.shown,
    offset: input.offset,
    limit: input.limit,
    signal: request.context.signal,
    stripEscapes: isArtifact,
  });
  return { isError: false, ...view, details: { ...details, ...view.details } };
}

async function showPicture(
  file: OpenedFile,
  mediaType: PictureType,
  { path, shown }: LocatedPath,
): Promise<ToolResult> {
  if (file.size > MAX_PICTURE_BYTES) {
    const issue = `'${shown}' is too large to be shown (${mediaType}, ${count(file.size, "byte")})`;
    throw new ToolError({ operation, issue, code: "EFBIG" });
  }
  const result = await fitImageForModel({ mediaType, bytes: await wholeOf(file) });
  if ("problem" in result) {
    const issue = `'${shown}' cannot be shown (${mediaType}, ${count(file.size, "byte")}): ${result.problem}`;
    throw new ToolError({ operation, issue, code: "BAD_IMAGE" });
  }
  const { part, width, height } = result.image;
  return {
    isError: false,
    output: `[${mediaType}, shown at ${width} × ${height} pixels, ${count(file.size, "byte")}]`,
    images: [part],
    details: { path, totalBytes: file.size, mediaType, width, height, truncated: false },
  };
}

async function showNotebook(file: OpenedFile, { input }: Request): Promise<ToolResult | undefined> {
  if (file.size > MAX_NOTEBOOK_BYTES) return undefined;
  const { parseNotebook, showCells } = await import("./notebook.ts");
  const cells = parseNotebook(decodeText(await wholeOf(file))?.text ?? "");
  if (cells === undefined) return undefined;
  if (cells.length === 0) {
    return {
      isError: false,
      output: "(notebook without cells)",
      details: { cellCount: 0, truncated: false },
    };
  }
  const { offset = 1, limit = cells.length } = input;
  const first = offset > 0 ? offset : Math.max(1, cells.length + offset + 1);
  if (first > cells.length) {
    const issue = `offset ${first} is past the end: the notebook has ${cells.length} cells`;
    throw new ToolError({ operation, issue, code: "OUT_OF_RANGE" });
  }
  const { output, images, shown } = await showCells(cells, { first, limit, maxChars: MAX_CHARS });
  const next = first + shown;
  const truncated = next <= cells.length;
  const notice = `\n[cells ${first}-${next - 1} of ${cells.length}; continue with offset ${next}]`;
  return {
    isError: false,
    output: `${output}${truncated ? notice : ""}`,
    ...(images.length > 0 ? { images } : {}),
    details: { cellCount: cells.length, truncated },
  };
}

/** Nothing has moved the handle's position: all other reads name theirs. */
async function wholeOf({ whole, start, handle }: OpenedFile): Promise<Buffer> {
  return whole ? start : handle.readFile();
}
