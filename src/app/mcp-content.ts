/** What a server gives to read, as parts of a message to the model. */

import { type ImageContent, OmpError, type TextContent } from "../protocol/index.ts";
import type { McpContent } from "../protocol/mcp.ts";
import { type InputMessages, resourceBlock } from "./input-messages.ts";
import { pictureOf } from "./picture-file.ts";

export type MessagePart = TextContent | ImageContent;

/** Of a prompt: as it is, whatever its size. */
export async function contentPart(content: McpContent): Promise<MessagePart> {
  if (content.type === "image") return await shown(content);
  if (content.type === "note") return { type: "text", text: `[${content.text}]` };
  const { text, uri } = content;
  return { type: "text", text: uri === undefined ? text : resourceBlock(text, uri) };
}

/** Of a resource; a large one is an input of the session. @param mention how the user has named it. Throws OmpError. */
export async function resourcePart(
  content: McpContent,
  { mention, inputs }: { readonly mention: string; readonly inputs: Pick<InputMessages, "resource"> },
): Promise<MessagePart> {
  if (content.type === "image") return await shown(content);
  if (content.type === "note") return { type: "text", text: `[${content.text}]`, notice: content.text };
  return inputs.resource(content.text, { uri: content.uri ?? "", mention });
}

async function shown({ base64 }: Extract<McpContent, { type: "image" }>): Promise<MessagePart> {
  try {
    return await pictureOf(Buffer.from(base64, "base64"), "a picture of the server");
  } catch (error) {
    if (!(error instanceof OmpError)) throw error;
    return { type: "text", text: `[${error.message}]`, notice: error.message };
  }
}
