/** What a server asks of the user: put to whoever can ask, and declined where nobody can. */

import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import type { McpElicit, McpQuestion } from "../protocol/mcp.ts";
import { readFields } from "./form-fields.ts";

export interface ElicitationParts {
  readonly server: string;
  /** Undefined where there is no user. */
  readonly elicit: McpElicit | undefined;
  readonly signal: AbortSignal;
}

export async function answerElicitation(
  params: ElicitRequest["params"],
  { server, elicit, signal }: ElicitationParts,
): Promise<ElicitResult> {
  if (elicit === undefined) return { action: "decline" };
  const answer = await elicit(questionOf(server, params), signal);
  if (answer.action !== "accept" || params.mode === "url" || answer.content === undefined)
    return { action: answer.action };
  return { action: "accept", content: { ...answer.content } };
}

function questionOf(server: string, params: ElicitRequest["params"]): McpQuestion {
  const { message } = params;
  if (params.mode === "url") return { server, message, kind: "url", url: params.url };
  return { server, message, kind: "form", fields: readFields(params.requestedSchema) };
}
