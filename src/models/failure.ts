/** Classifies a failed attempt: the kind of error, its message, and whether a retry can help. */

import { asRecord, parseJson } from "../protocol/record.ts";
import { ModelError, type ModelErrorKind } from "./errors.ts";
import { type Facts, readFacts } from "./failure-facts.ts";
import { isLoopback, providers } from "./providers.ts";

/** The provider and model of a request, for error messages. */
export interface Service {
  /** As the user names it: `anthropic`, `ollama`, or a custom endpoint's name. */
  readonly provider: string;
  readonly modelId: string;
  readonly baseUrl: string;
  /** The variables that the key may come from; empty where no key is needed. */
  readonly keyVariables: readonly string[];
  /** Removed from whatever the provider says. */
  readonly apiKey: string | undefined;
}

export interface Failure {
  readonly error: ModelError;
  readonly retryable: boolean;
  /** Most attempts that make sense, including the first. */
  readonly maxAttempts: number;
  /** The wait that the provider asked for. */
  readonly retryAfterMs: number | undefined;
}

export function classifyFailure(thrown: unknown, service: Service): Failure {
  if (thrown instanceof ModelError)
    return { error: thrown, retryable: false, maxAttempts: 1, retryAfterMs: undefined };
  const facts = readFacts(thrown);
  const kind = classify(facts);
  const error = new ModelError({
    kind,
    issue: describe(kind, facts, service),
    status: facts.status,
    cause: facts.status === undefined && thrown instanceof Error ? withoutRequest(thrown) : undefined,
  });
  return {
    error,
    retryable: isRetryable(kind, facts, service),
    maxAttempts:
      kind === "unreachable"
        ? ATTEMPTS_TO_CONNECT
        : facts.isUnreadable
          ? ATTEMPTS_TO_READ
          : Number.POSITIVE_INFINITY,
    retryAfterMs: facts.retryAfterMs,
  };
}

/** Fewer than for a provider that is merely busy. */
const ATTEMPTS_TO_CONNECT = 3;
/** Garbled once is an accident, garbled twice is how the server speaks. */
const ATTEMPTS_TO_READ = 2;

/** A stream that ended or stalled before the turn was complete. */
export class BrokenStreamError extends Error {
  override readonly name = "BrokenStreamError";
}

/** An answer in JSON that is no error, either. */
class NotAStreamError extends Error {
  override readonly name = "NotAStreamError";
}

/** A JSON answer instead of a stream, as if its error had arrived in the stream. */
export function notAStreamError(json: string): Error {
  const [answer] = [parseJson(json)].flat();
  const { error } = asRecord(answer);
  const said = typeof error === "string" ? error : asRecord(error)["message"];
  if (typeof said !== "string") return new NotAStreamError(`not a stream: ${json}`);
  return Object.assign(new BrokenStreamError(said), { error });
}

const CONTEXT_OVERFLOW =
  /context.{0,12}(?:length|window|limit|size)|prompt is too long|too many (?:input )?tokens|input token count|exceed_context|maximum (?:context|prompt)|context the overflows/i;
const UNKNOWN_MODEL =
  /model_not_found|not_found_error|NOT_FOUND|model .{0,80}(?:not found|does not exist)|invalid model/i;
/** As llama.cpp, OpenRouter, OpenAI, Ollama, Mistral, vLLM, LM Studio and DeepSeek put it, in this order. */
const IMAGES_REFUSED = new RegExp(
  [
    "image input is not (?:supported|enabled)",
    "support image input",
    "image_url is only supported",
    "data required for image input",
    "(?:not|n't) support (?:image|vision|multimodal)",
    "at most 0 image",
    "not a multimodal model",
    "unknown variant `image_url`",
  ].join("|"),
  "i",
);
const OUT_OF_CREDIT = /insufficient_quota|credit balance|insufficient credits|billing/i;

/** Google mentions "billing details" for a mere rate limit, too, but then with RESOURCE_EXHAUSTED. */
function isOutOfCredit({ words, message }: Facts): boolean {
  return !words.includes("RESOURCE_EXHAUSTED") && OUT_OF_CREDIT.test(`${words} ${message}`);
}

function classify(facts: Facts): ModelErrorKind {
  const { status, words, message, networkCode, isUnsendable } = facts;
  if (isUnsendable) return "bad-request";
  if (networkCode !== undefined)
    return /^(?:ECONNRESET|EPIPE|ConnectionClosed|ZlibError)$/.test(networkCode)
      ? "broken-stream"
      : "unreachable";
  if (/overloaded/i.test(words) || /^overloaded$/i.test(message)) return "overloaded";
  if (/rate_limit|RESOURCE_EXHAUSTED/.test(words) || isOutOfCredit(facts)) return "rate-limited";
  if (/authentication_error|permission_error|invalid_api_key|UNAUTHENTICATED|API_KEY_INVALID/.test(words))
    return "auth";
  // Google answers a bad key with 400.
  if (status === 400 && /api key not valid|api_key_invalid/i.test(message)) return "auth";
  if (status !== 401 && status !== 429 && IMAGES_REFUSED.test(message)) return "images-refused";
  if (/context_length_exceeded/.test(words)) return "context-overflow";
  if (status === 400 || status === 413 || status === 422) {
    if (CONTEXT_OVERFLOW.test(message) || status === 413) return "context-overflow";
    return UNKNOWN_MODEL.test(`${words} ${message}`) ? "unknown-model" : "bad-request";
  }
  // Some servers report an overflow with status 500.
  if (CONTEXT_OVERFLOW.test(message) && status !== undefined && status !== 429) return "context-overflow";
  if (status === 401 || status === 403) return "auth";
  if (status === 404) return "unknown-model";
  if (status === 402 || status === 429) return "rate-limited";
  if (status !== undefined && (status >= 500 || status === 408 || status === 409)) return "overloaded";
  if (/server_error|api_error|UNAVAILABLE|INTERNAL|timeout/i.test(words)) return "overloaded";
  return status === undefined ? "broken-stream" : "bad-request";
}

function isRetryable(kind: ModelErrorKind, facts: Facts, { baseUrl }: Service): boolean {
  switch (kind) {
    case "overloaded":
    case "broken-stream":
      return true;
    case "rate-limited":
      // Waiting does not help an empty account.
      return !isOutOfCredit(facts);
    case "unreachable":
      // A server on this machine that is not running will not be running in a second.
      return !isLoopback(baseUrl) || !/refused/i.test(facts.networkCode ?? "");
    default:
      return false;
  }
}

function describe(kind: ModelErrorKind, facts: Facts, service: Service): string {
  const { provider, modelId, baseUrl, keyVariables } = service;
  const said = redact(facts.message, service.apiKey);
  const status = facts.status === undefined ? "" : ` with status ${facts.status}`;
  const words = said === "" ? "" : `: ${said}`;
  // A model that runs inside omp has no address.
  const address = baseUrl === "" ? "" : ` at ${baseUrl}`;
  switch (kind) {
    case "auth":
      if (keyVariables.length === 0) return `${provider} refused access${address}${status}${words}`;
      // The key is valid, but not for this country, project or model: only the provider's message says which.
      if (facts.status === 403)
        return `${provider} refused access for the key in ${keyVariables.join(" or ")}${status}${words}`;
      // The provider's message about a bad key repeats a part of it.
      return `${provider} refused the key${status}; check ${keyVariables.join(" or ")}`;
    case "unknown-model":
      return `${provider} has no model '${modelId}'${address}${words}`;
    case "unreachable":
      return `cannot reach ${provider}${address}: ${describeNetworkCode(facts.networkCode ?? "")}`;
    case "rate-limited":
      return isOutOfCredit(facts)
        ? `the ${provider} key has no credit left${words}`
        : `${provider} is limiting requests${words}`;
    case "overloaded":
      return `${provider} failed${status || " while answering"}${words}`;
    case "context-overflow":
      return `the conversation is too long for ${provider}/${modelId}${words}`;
    case "images-refused":
      return `${provider}/${modelId} does not accept images${words}`;
    case "broken-stream":
      if (facts.isUnreadable) return `the answer from ${provider} could not be read${words}`;
      if (facts.networkCode !== undefined) return `connection to ${titleOf(provider)} lost`;
      return `the answer from ${provider} was cut off${words}`;
    default:
      return `${provider} refused the request${status}${words}`;
  }
}

/** As the company or the project writes its own name. */
function titleOf(provider: string): string {
  return providers.find(({ name }) => name === provider)?.title ?? provider;
}

function describeNetworkCode(code: string): string {
  if (/refused/i.test(code)) return "connection refused";
  if (/ENOTFOUND|EAI_AGAIN|FailedToOpenSocket|DNS/i.test(code)) return "host not found or unreachable";
  if (/timeout|ETIMEDOUT/i.test(code)) return "timed out";
  return code;
}

const MAX_MESSAGE_LENGTH = 300;

function redact(message: string, apiKey: string | undefined): string {
  const clean = (apiKey ? message.replaceAll(apiKey, "[key]") : message)
    .replace(/\b(?:sk|pk|AIza|key)[-_][\w*.-]{6,}/g, "[key]")
    .replace(/\s+/g, " ")
    .trim();
  return clean.length > MAX_MESSAGE_LENGTH ? `${clean.slice(0, MAX_MESSAGE_LENGTH)}…` : clean;
}

/** The SDK's errors hold the whole request, and the conversation does not belong in a stack trace. */
function withoutRequest(error: Error): unknown {
  return "requestBodyValues" in error ? error.cause : error;
}
