/**
 * Classifies a failed attempt: the kind of error, its message, and whether a retry can help.
 *
 * The AI SDK throws its own errors, passes on what fetch throws, and streams the provider's error objects as parts. They
 * are distinguished by shape, not by class, so that nothing of the SDK is loaded here.
 */

import { asRecord, parseJson, type UnknownRecord } from "../protocol/record.ts";
import { ModelError, type ModelErrorKind } from "./errors.ts";

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
  /** The wait that the provider asked for. */
  readonly retryAfterMs: number | undefined;
}

export function classifyFailure(thrown: unknown, service: Service): Failure {
  if (thrown instanceof ModelError) return { error: thrown, retryable: false, retryAfterMs: undefined };
  const facts = readFacts(thrown);
  const kind = classify(facts);
  const error = new ModelError({
    kind,
    issue: describe(kind, facts, service),
    status: facts.status,
    cause: facts.status === undefined && thrown instanceof Error ? withoutRequest(thrown) : undefined,
  });
  return { error, retryable: isRetryable(kind, facts, service), retryAfterMs: facts.retryAfterMs };
}

/** A stream that ended or stalled before the turn was complete. */
export class BrokenStreamError extends Error {
  override readonly name = "BrokenStreamError";
}

/** A JSON answer instead of a stream, as if its error had arrived in the stream. */
export function notAStreamError(json: string): Error {
  const [answer] = [parseJson(json)].flat();
  const { error } = asRecord(answer);
  const said = typeof error === "string" ? error : asRecord(error)["message"];
  const message = typeof said === "string" ? said : `not a stream: ${json}`;
  return Object.assign(new BrokenStreamError(message), { error });
}

interface Facts {
  readonly message: string;
  readonly status: number | undefined;
  /** The provider's own codes: `overloaded_error`, `context_length_exceeded`, `RESOURCE_EXHAUSTED`, … */
  readonly words: string;
  /** From fetch, when there was no answer: `ConnectionRefused`, `ECONNRESET`, … */
  readonly networkCode: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly isBroken: boolean;
}

function readFacts(thrown: unknown): Facts {
  const record = asRecord(thrown);
  const name = String(record["name"] ?? "");
  const inner = asRecord(asRecord(record["data"])["error"] ?? record["error"] ?? record["data"]);
  const answered = number(record["statusCode"]);
  // A success status only means that the failure happened later.
  const status =
    answered !== undefined && answered >= 400 ? answered : (statusNamed(record) ?? statusNamed(inner));
  const words = [record["type"], record["code"], inner["type"], inner["code"], inner["status"]]
    .filter((word) => typeof word === "string")
    .join(" ");
  // An immediate retry is pointless: without a real wait ours applies.
  const wait = retryAfter(asRecord(record["responseHeaders"]), String(record["responseBody"] ?? "")) ?? 0;
  return {
    message: messageOf(thrown, record, inner),
    status,
    words,
    networkCode: status === undefined ? networkCodeOf(thrown) : undefined,
    retryAfterMs: wait > 0 ? wait : undefined,
    isBroken:
      /^(?:BrokenStreamError|AI_JSONParseError|AI_TypeValidationError|AI_InvalidResponseDataError|AI_EmptyResponseBodyError)$/.test(
        name,
      ),
  };
}

function messageOf(thrown: unknown, record: UnknownRecord, inner: UnknownRecord): string {
  if (typeof thrown === "string") return thrown;
  // An event that the SDK cannot parse may still hold a message: `{"error":"the model has crashed"}`.
  const odd = record["name"] === "AI_TypeValidationError" ? messageIn(record["value"]) : undefined;
  if (odd !== undefined) return odd;
  const own = typeof record["message"] === "string" ? record["message"] : "";
  const deeper = typeof inner["message"] === "string" ? inner["message"] : "";
  // The SDK falls back to the status text when the body is not of the provider's usual shape.
  const body = typeof record["responseBody"] === "string" ? record["responseBody"] : "";
  const isPlain = body !== "" && deeper === "" && !/^\s*[<]/.test(body);
  const answer = isPlain ? parseJson(body) : {};
  return (answer === undefined ? body : messageIn(answer)) ?? (own || deeper);
}

/** From `{"error":"model 'x' not found"}`, `{"message":"…"}` and the like, as imitating servers answer. */
function messageIn(answer: unknown): string | undefined {
  const { error, message, detail } = asRecord(answer);
  return [error, message, detail].find((each) => typeof each === "string");
}

const CONTEXT_OVERFLOW =
  /context.{0,12}(?:length|window|limit|size)|prompt is too long|too many (?:input )?tokens|input token count|exceed_context|maximum (?:context|prompt)|context the overflows/i;
const UNKNOWN_MODEL =
  /model_not_found|not_found_error|NOT_FOUND|model .{0,80}(?:not found|does not exist)|invalid model/i;
const OUT_OF_CREDIT = /insufficient_quota|credit balance|insufficient credits|billing/i;

/** Google mentions "billing details" for a mere rate limit, too, but then with RESOURCE_EXHAUSTED. */
function isOutOfCredit({ words, message }: Facts): boolean {
  return !words.includes("RESOURCE_EXHAUSTED") && OUT_OF_CREDIT.test(`${words} ${message}`);
}

function classify(facts: Facts): ModelErrorKind {
  const { status, words, message, networkCode, isBroken } = facts;
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
  if (isBroken || status === undefined) return "broken-stream";
  return "bad-request";
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
    case "broken-stream":
      return `the answer from ${provider} broke off${words}`;
    default:
      return `${provider} refused the request${status}${words}`;
  }
}

function describeNetworkCode(code: string): string {
  if (/refused/i.test(code)) return "connection refused";
  if (/ENOTFOUND|EAI_AGAIN|FailedToOpenSocket|DNS/i.test(code)) return "host not found or unreachable";
  if (/timeout|ETIMEDOUT/i.test(code)) return "timed out";
  return code;
}

/** Bun puts the code on the error itself; the SDK may have wrapped it once or twice. */
function networkCodeOf(thrown: unknown): string | undefined {
  for (let current = thrown, depth = 0; depth < 4; current = asRecord(current)["cause"], depth += 1) {
    const code = asRecord(current)["code"];
    if (typeof code === "string" && current instanceof Error) return code;
    if (current instanceof Error && current.name === "TimeoutError") return "timeout";
  }
  return undefined;
}

/** `retry-after-ms`, `retry-after` in seconds or as a date, or Google's `"retryDelay": "7s"` in the body. */
function retryAfter(headers: UnknownRecord, body: string): number | undefined {
  const precise = number(headers["retry-after-ms"]);
  if (precise !== undefined) return precise;
  const header = headers["retry-after"];
  const seconds = number(header);
  if (seconds !== undefined) return seconds * 1_000;
  const date = typeof header === "string" ? Date.parse(header) : Number.NaN;
  if (!Number.isNaN(date)) return Math.max(0, date - Date.now());
  const delay = /"retryDelay"\s*:\s*"([\d.]+)s"/.exec(body)?.[1];
  return delay === undefined ? undefined : Number(delay) * 1_000;
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

function isLoopback(baseUrl: string): boolean {
  return /^https?:\/\/(?:localhost|127\.|\[::1\])/.test(baseUrl);
}

function statusNamed(record: UnknownRecord): number | undefined {
  const code = number(record["code"]) ?? number(record["status"]);
  return code !== undefined && code >= 400 && code < 600 ? code : undefined;
}

function number(value: unknown): number | undefined {
  if (value === undefined || value === null || value === "" || typeof value === "boolean") return undefined;
  const parsed = Number(value);
  return Number.isFinite(parsed) ? parsed : undefined;
}
