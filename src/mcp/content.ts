/** A server's result → what the rest of omp knows. */

import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { formatSize } from "../format/numbers.ts";
import type { McpContent, McpResult } from "../protocol/mcp.ts";

export function readResult(result: CallToolResult): McpResult {
  const { structuredContent } = result;
  return {
    isError: result.isError === true,
    content: result.content.map(readContent),
    ...(structuredContent === undefined ? {} : { structured: structuredContent }),
  };
}

export function readContent(block: ContentBlock): McpContent {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return { type: "image", mediaType: block.mimeType, base64: block.data };
    case "audio":
      return { type: "note", text: `audio, ${block.mimeType}, ${sizeOf(block.data)}: not shown` };
    case "resource_link":
      return { type: "text", text: [block.name, block.uri, block.description].filter(Boolean).join(" · ") };
    case "resource":
      return readResource(block.resource);
  }
}

type ResourceContents = Extract<ContentBlock, { type: "resource" }>["resource"];

export function readResource(resource: ResourceContents): McpContent {
  if ("text" in resource) return { type: "text", text: resource.text, uri: resource.uri };
  const mediaType = resource.mimeType ?? "application/octet-stream";
  if (mediaType.startsWith("image/")) return { type: "image", mediaType, base64: resource.blob };
  return { type: "note", text: `${resource.uri}, ${mediaType}, ${sizeOf(resource.blob)}: not shown` };
}

function sizeOf(base64: string): string {
  return formatSize(Math.floor((base64.length * 3) / 4));
}
