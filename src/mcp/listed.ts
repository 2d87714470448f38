/** What a server lists → what the rest of omp knows of it. */

import type { Client, Prompt, Tool as SdkTool } from "@modelcontextprotocol/client";
import type { McpPrompt, McpResource, McpServerDefinition, McpTool } from "../protocol/mcp.ts";
import { inputCheck } from "./input-check.ts";
import { fullToolName } from "./tool-names.ts";

const TEMPLATES_MS = 3_000;

export function listedTool(
  { name: server, origin }: Pick<McpServerDefinition, "name" | "origin">,
  { name, title, description, inputSchema, annotations }: SdkTool,
  call: McpTool["call"],
): McpTool {
  return {
    server,
    name,
    fullName: fullToolName(server, name),
    description: description ?? title ?? annotations?.title ?? "",
    inputSchema,
    // A project's server could say so of anything.
    isReadOnly: origin !== "project" && annotations?.readOnlyHint === true,
    check: inputCheck(inputSchema),
    call,
  };
}

export function listedPrompt(
  server: string,
  { name, title, description, arguments: declared = [] }: Prompt,
): McpPrompt {
  return {
    server,
    name,
    description: description ?? title ?? "",
    arguments: declared.map((argument) => ({
      name: argument.name,
      description: argument.description ?? "",
      isRequired: argument.required === true,
    })),
  };
}

/** Only what it says it has is asked for. */
export async function listOffer(
  client: Client,
  options: { readonly timeout: number },
): Promise<{ readonly tools: readonly SdkTool[]; readonly prompts: readonly Prompt[] }> {
  const has = client.getServerCapabilities() ?? {};
  const [{ tools }, { prompts }] = await Promise.all([
    has.tools ? client.listTools(undefined, options) : { tools: [] },
    // A server is of use without them.
    has.prompts ? client.listPrompts(undefined, options).catch(() => ({ prompts: [] })) : { prompts: [] },
  ]);
  return { tools, prompts };
}

/** Both lists: a server may have only one of them. */
export async function listResources(
  server: string,
  client: Client,
  options: { readonly timeout: number },
): Promise<readonly McpResource[]> {
  const [plain, templates] = await Promise.all([
    client.listResources(undefined, options),
    // Few servers have any, and some do not know the request: what there is must not wait for them.
    client
      .listResourceTemplates(undefined, { timeout: TEMPLATES_MS })
      .catch(() => ({ resourceTemplates: [] })),
  ]);
  return [
    ...plain.resources.map(({ uri, name, title, description }) => ({
      ...{ server, uri, isTemplate: false, description: title ?? description ?? name },
    })),
    ...templates.resourceTemplates.map(({ uriTemplate, name, title, description }) => ({
      ...{ server, uri: uriTemplate, isTemplate: true, description: title ?? description ?? name },
    })),
  ];
}
