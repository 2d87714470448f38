/** `mcp__server__tool`: a tool of an MCP server as a tool of the session. */

import type { ArtifactStore } from "../../output/artifacts.ts";
import { OutputSink } from "../../output/sink.ts";
import { modelTail } from "../../output/truncation.ts";
import type { ImagePart, Tool, ToolContext, ToolResult } from "../../protocol/index.ts";
import type { McpContent, McpTool } from "../../protocol/mcp.ts";
import { fitImageForModel, pictureTypes } from "../python/images.ts";
import { captureDetails, ResultText } from "../result-text.ts";

type Input = Readonly<Record<string, unknown>>;

export interface McpToolServices {
  readonly artifacts: () => ArtifactStore;
}

const SUMMARY_LIMIT = 200;
/** Far from what is cut. */
const SMALL_CHARS = 1_000;

export function mcpTool(remote: McpTool, services: McpToolServices): Tool<Input> {
  return {
    name: remote.fullName,
    description: remote.description,
    inputSchema: remote.inputSchema,
    concurrency: remote.isReadOnly ? "parallel" : "exclusive",
    readOnly: remote.isReadOnly,
    check: (raw) => remote.check(raw),
    summary: (input) => JSON.stringify(input).slice(0, SUMMARY_LIMIT),
    run: (input, context) => run(remote, input, context, services),
  };
}

async function run(
  remote: McpTool,
  input: Input,
  { signal, onUpdate, holdTime }: ToolContext,
  { artifacts }: McpToolServices,
): Promise<ToolResult> {
  const startedAt = performance.now();
  const result = await remote.call(input, { signal, onProgress: onUpdate, holdTime });
  const text = new ResultText();
  const printed = printedText(result.content, result.structured);
  // A file for each of a thousand small results would cost more than it is worth: the log has them whole.
  const isSmall = printed.length <= SMALL_CHARS;
  const sink = new OutputSink({ policy: modelTail, artifacts: isSmall ? undefined : artifacts() });
  sink.write(printed);
  const captured = sink.finish();
  text.printCaptured(captured);
  const { images, notes } = await shownImages(result.content);
  for (const note of notes) text.remark(note);
  return {
    isError: result.isError,
    output: text.output,
    ...(images.length === 0 ? {} : { images }),
    details: {
      server: remote.server,
      tool: remote.name,
      durationMs: Math.round(performance.now() - startedAt),
      ...captureDetails(captured),
      ...text.details,
      ...(result.structured === undefined ? {} : { structured: result.structured }),
    },
  };
}

/** A server that gives a value usually gives it as text, too; where it does not, the model reads the value. */
function printedText(content: readonly McpContent[], structured: unknown): string {
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (texts.length > 0 || structured === undefined) return texts.join("\n");
  return JSON.stringify(structured, undefined, 2);
}

async function shownImages(content: readonly McpContent[]) {
  const images: ImagePart[] = [];
  const notes: string[] = [];
  for (const part of content) {
    if (part.type === "note") notes.push(part.text);
    if (part.type !== "image") continue;
    const mediaType = pictureTypes.find((type) => type === part.mediaType) ?? "image/png";
    const fitted = await fitImageForModel({ mediaType, bytes: Buffer.from(part.base64, "base64") });
    if ("image" in fitted) images.push(fitted.image.part);
    else notes.push(fitted.problem);
  }
  return { images, notes };
}
