/** `omp.llm`: one prompt to a model, without tools and without the conversation; with a schema, a checked value instead of text. */

import again from "../../prompts/llm-again.md" with { type: "text" };
import schemaInstruction from "../../prompts/llm-schema.md" with { type: "text" };
import {
  addUsage,
  type ImagePart,
  type JsonSchema,
  type Message,
  type Model,
  messageText,
  noUsage,
  OmpError,
  type ToolResult,
  type Usage,
  userMessage,
} from "../protocol/index.ts";
import { asRecord, isRecord, type UnknownRecord } from "../protocol/record.ts";
import { schemaCheck } from "./schema-check.ts";

export interface LlmRequest {
  readonly prompt: string;
  /** Undefined: the session's. */
  readonly model: string | undefined;
  readonly system: string | undefined;
  readonly schema: JsonSchema | undefined;
  readonly images: readonly ImagePart[];
  readonly maxTokens: number | undefined;
}

/** As a nested call has it; the value of a schema is in the details. */
export interface LlmResult extends ToolResult {
  readonly usage: Usage;
}

/** What the code sends: `llm.py` makes it, so that only what a user can get wrong is checked. */
export function readLlmRequest(fields: UnknownRecord): LlmRequest {
  const { prompt, model, system, schema, images, maxTokens } = fields;
  return {
    prompt: String(prompt),
    model: typeof model === "string" ? model : undefined,
    system: typeof system === "string" ? system : undefined,
    schema: isRecord(schema) ? schema : undefined,
    images: (Array.isArray(images) ? images : []).map((each) => {
      const { mediaType, base64 } = asRecord(each);
      return { mediaType: String(mediaType), base64: String(base64) };
    }),
    maxTokens: typeof maxTokens === "number" ? maxTokens : undefined,
  };
}

/** An answer that does not fit its schema is asked for once more. */
const ATTEMPTS = 2;

/** Never throws for what a provider or a prompt can cause. */
export async function askModel(
  openModel: (name: string | undefined) => Promise<Model>,
  request: LlmRequest,
  signal: AbortSignal,
): Promise<LlmResult> {
  let usage = noUsage;
  try {
    const model = await openModel(request.model);
    const { schema } = request;
    const check = schema && (await schemaCheck(schema));
    const details = { model: model.facts.name };
    const messages: Message[] = [firstMessage(request)];
    for (let attempt = 1; ; attempt += 1) {
      const turn = await oneTurn(model, request, messages, signal);
      usage = addUsage(usage, turn.usage);
      const text = messageText(turn.message, "");
      if (!check) return { isError: false, output: text, details, usage };
      const checked = check(text);
      if (checked.ok)
        return { isError: false, output: text, details: { ...details, value: checked.value }, usage };
      const problem = turn.reason === "length" ? "it was cut off at its token limit" : checked.problem;
      if (attempt === ATTEMPTS) throw llmError(`the answer does not fit the schema: ${problem}`, "SCHEMA");
      messages.push(turn.message, userMessage(again.trim().replace("{problem}", () => problem)));
    }
  } catch (error) {
    if (signal.aborted) return { ...failed("omp.llm: cancelled (CANCELLED)", "CANCELLED"), usage };
    if (!(error instanceof OmpError)) throw error;
    return { ...failed(error.message, error.code), usage };
  }
}

function firstMessage({ prompt, images }: LlmRequest): Message {
  const message = userMessage(prompt);
  const pictures = images.map((image) => ({ type: "image" as const, ...image }));
  return { ...message, content: [...message.content, ...pictures] };
}

async function oneTurn(model: Model, request: LlmRequest, messages: readonly Message[], signal: AbortSignal) {
  const { system = "", schema, maxTokens, images } = request;
  if (images.length > 0 && !model.facts.acceptsImages)
    throw llmError(`${model.facts.name} does not accept images`, "NO_IMAGES");
  const form = schema && schemaInstruction.trim().replace("{schema}", () => JSON.stringify(schema));
  const stream = model.stream({
    system: [system, form].filter(Boolean).join("\n\n"),
    messages,
    tools: [],
    answerSchema: schema,
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    signal,
  });
  for await (const event of stream) if (event.type === "finish") return event;
  throw new Error("a model's turn ended without its message");
}

function llmError(issue: string, code: string): OmpError {
  return new OmpError({ operation: "omp.llm", issue, code });
}

function failed(output: string, code: string): ToolResult {
  return { isError: true, output, details: { success: false, code } };
}
