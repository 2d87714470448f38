/** The SDK's client for one server, with what omp answers when the server asks: the user's words, and where the project is. */

import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import {
  Client,
  type ElicitRequest,
  type ElicitResult,
  type LoggingMessageNotification,
  type Prompt,
  type Tool,
} from "@modelcontextprotocol/client";
import { schemaValidator } from "../schema/json-schema.ts";

export interface ServerClientParts {
  readonly version: string;
  readonly projectRoot: string;
  readonly onTools: (tools: readonly Tool[]) => void;
  readonly onPrompts: (prompts: readonly Prompt[]) => void;
  /** The lists of resources and of templates are no longer true. */
  readonly onResources: () => void;
  readonly onLog: (message: LoggingMessageNotification["params"]) => void;
  readonly elicit: (params: ElicitRequest["params"], signal: AbortSignal) => Promise<ElicitResult>;
}

/** Not connected yet. Sampling is not offered: a server cannot spend the user's tokens. */
export function serverClient(parts: ServerClientParts): Client {
  const client = new Client(
    { name: "omp", version: parts.version },
    {
      jsonSchemaValidator: schemaValidator,
      capabilities: { elicitation: { form: {}, url: {} }, roots: {} },
      listChanged: {
        tools: { onChanged: (error, tools) => !error && tools && parts.onTools(tools) },
        prompts: { onChanged: (error, prompts) => !error && prompts && parts.onPrompts(prompts) },
        resources: { autoRefresh: false, onChanged: () => parts.onResources() },
      },
    },
  );
  client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) =>
    parts.elicit(params, mcpReq.signal),
  );
  client.setRequestHandler("roots/list", () => ({
    roots: [{ uri: pathToFileURL(parts.projectRoot).href, name: basename(parts.projectRoot) }],
  }));
  client.setNotificationHandler("notifications/message", ({ params }) => parts.onLog(params));
  return client;
}
