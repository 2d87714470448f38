/** What a typed prompt stands for: the prompt of an MCP server that it calls, or the resources that it names. */

import type { OmpError, UserMessage } from "../protocol/index.ts";
import { isPromptCall, promptParts } from "./mcp-prompts.ts";
import { attachResources, mentionedResources, type ResourceServices } from "./mcp-resources.ts";

export interface PreparedMessage {
  readonly message: UserMessage;
  /** What could not be attached, and why. */
  readonly problems: readonly OmpError[];
}

/** Whether there is anything to prepare: all else is ready as it is. */
export function needsPreparing(text: string, { mcp }: Pick<ResourceServices, "mcp">): boolean {
  return isPromptCall(text, mcp) || mentionedResources(text, mcp).length > 0;
}

/** @param text what was typed of the message. Throws OmpError for a prompt that cannot be had. */
export async function prepareMessage(
  text: string,
  message: UserMessage,
  services: ResourceServices,
  signal: AbortSignal,
): Promise<PreparedMessage> {
  const { mcp } = services;
  if (mcp !== undefined && isPromptCall(text, mcp)) {
    const parts = await promptParts(text, mcp, signal);
    return { message: { ...message, content: [...message.content, ...parts] }, problems: [] };
  }
  const { parts, problems } = await attachResources(text, services, signal);
  return { message: { ...message, content: [...message.content, ...parts] }, problems };
}
