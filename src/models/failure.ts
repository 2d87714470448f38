/**
 * What a failed attempt means: which kind of error, in which words, and whether trying again can help.
 *
 * The AI SDK throws its own errors, passes on what fetch throws, and streams the provider's error objects as parts. They
 * are told apart by shape, not by class, so that nothing of the SDK is loaded here.
 */

import { asRecord } from "../protocol/record.ts";
import type { ModelErrorKind } from "./errors.ts";
import { ModelError } from "./errors.ts";

/** Who was asked: for the words of an error. */
export interface Service {
  /** As the user names it: `anthropic`, `ollama`, or a custom endpoint's name. */
  readonly provider: string;
  readonly modelId: string;
  readonly baseUrl: string;
  /** The variables that the key may come from; empty where no key is needed. */
  readonly keyVariables: readonly string[];
  /** Taken out of whatever the provider says. */
  readonly apiKey: string | undefined;
}

export interface Failure {
  readonly error: ModelError;
  readonly retryable: boolean;
  /** What the provider asked for. */
  readonly retryAfterMs: number | undefined;
}

export function failureOf(thrown: unknown, service: Service): Failure {
  if (thrown instanceof ModelError) return { error: thrown, retryable: false, retryAfterMs: undefined };
  const facts = factsOf(thrown);
  const said = sayWithoutKey(facts.message, service.apiKey);
  const kind = kindOf(facts);
  const retryAfterMs = facts.retryAfterMs;
  const error = new ModelError({
    kind,
    issue: issueOf(kind, facts, said, service),
    status: facts.status,
    cause: facts.status === undefined && thrown instanceof Error ? withoutRequest(thrown) : undefined,
  });
  return { error, retryable: isRetryable(kind, facts, service), retryAfterMs };
}

/** A stream that ended, or stood still, before the turn was whole. */
export class BrokenStream extends Error {
  override readonly name = "BrokenStream";
}

/** What a provider says in JSON where a stream should have been: as if it had said it in the stream. */
export function errorIn(json: string): Error {
  const [answer] = [parsed(json)].flat();
  const { error } = asRecord(answer);
  const said = typeof error === "string" ? error : asRecord(error)["message"];
  return Object.assign(new BrokenStream(typeof said === "string" ? said : `it is no stream: ${json}`), {
    error,
  });
}

interface Facts {
  readonly message: string;
  readonly status: number | undefined;
  /** The provider's own word: `overloaded_error`, `context_length_exceeded`, `RESOURCE_EXHAUSTED`, … */
  readonly words: string;
  /** Of fetch, when no answer came: `ConnectionRefused`, `ECONNRESET`, … */
  readonly networkCode: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly isBroken: boolean;
}

function factsOf(thrown: unknown): Facts {
  const record = asRecord(thrown);
  const name = String(record["name"] ?? "");
  const inner = asRecord(asRecord(record["data"])["error"] ?? record["error"] ?? record["data"]);
  const answered = number(record["statusCode"]);
  // A good status says only that the trouble came later.
  const status =
    answered !== undefined && answered >= 400 ? answered : (statusNamed(record) ?? statusNamed(inner));
  const words = [record["type"], record["code"], inner["type"], inner["code"], inner["status"]]
    .filter((word) => typeof word === "string")
    .join(" ");
  // No wait at all is not worth a try: then it is ours to say how long.
  const wait = retryAfter(asRecord(record["responseHeaders"]), String(record["responseBody"] ?? "")) ?? 0;
  return {
    message: messageOf(thrown, record, inner),
    status,
    words,
    networkCode: status === undefined ? networkCodeOf(thrown) : undefined,
    retryAfterMs: wait > 0 ? wait : undefined,
    isBroken:
      /^(?:BrokenStream|AI_JSONParseError|AI_TypeValidationError|AI_InvalidResponseDataError|AI_EmptyResponseBodyError)$/.test(
        name,
      ),
  };
}

function messageOf(thrown: unknown, record: Record<string, unknown>, inner: Record<string, unknown>): string {
  if (typeof thrown === "string") return thrown;
  // An event that the SDK cannot make out may still say what is wrong: `{"error":"the model has crashed"}`.
  const odd = record["name"] === "AI_TypeValidationError" ? wordsIn(record["value"]) : undefined;
  if (odd !== undefined) return odd;
  const own = typeof record["message"] === "string" ? record["message"] : "";
  const deeper = typeof inner["message"] === "string" ? inner["message"] : "";
  // The SDK falls back to the status text when the body is not of the provider's usual shape.
  const body = typeof record["responseBody"] === "string" ? record["responseBody"] : "";
  const isPlain = body !== "" && deeper === "" && !/^\s*[<]/.test(body);
  return (isPlain ? plainBody(body) : undefined) ?? (own || deeper);
}

/** `{"error":"model 'x' not found"}`, `{"message":"…"}` and the like, which servers that imitate others answer with. */
function plainBody(body: string): string | undefined {
  const answer = parsed(body);
  if (answer === undefined) return body;
  return wordsIn(answer);
}

function wordsIn(answer: unknown): string | undefined {
  const { error, message, detail } = asRecord(answer);
  return [error, message, detail].find((each) => typeof each === "string");
}

/** Undefined for what is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const overflow =
  /context.{0,12}(?:length|window|limit|size)|prompt is too long|too many (?:input )?tokens|input token count|exceed_context|maximum (?:context|prompt)|context the overflows/i;
const unknownModel =
  /model_not_found|not_found_error|NOT_FOUND|model .{0,80}(?:not found|does not exist)|invalid model/i;
const outOfCredit = /insufficient_quota|credit balance|insufficient credits|billing/i;

/** Google sends people who were too quick for a minute to their "billing details", too: its word for that is one of a limit. */
function isOutOfCredit({ words, message }: Facts): boolean {
  return !words.includes("RESOURCE_EXHAUSTED") && outOfCredit.test(`${words} ${message}`);
}

function kindOf(facts: Facts): ModelErrorKind {
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
    if (overflow.test(message) || status === 413) return "context-overflow";
    return unknownModel.test(`${words} ${message}`) ? "unknown-model" : "bad-request";
  }
  // Some servers tell an overflow with status 500.
  if (overflow.test(message) && status !== undefined && status !== 429) return "context-overflow";
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
      // Waiting does not fill an account.
      return !isOutOfCredit(facts);
    case "unreachable":
      // A server on this machine that is not there will not be there in a second.
      return !isLoopback(baseUrl) || !/refused/i.test(facts.networkCode ?? "");
    default:
      return false;
  }
}

function issueOf(kind: ModelErrorKind, facts: Facts, said: string, service: Service): string {
  const { provider, modelId, baseUrl, keyVariables } = service;
  const status = facts.status === undefined ? "" : ` with status ${facts.status}`;
  const words = said === "" ? "" : `: ${said}`;
  // A model that runs inside omp has no address.
  const address = baseUrl === "" ? "" : ` at ${baseUrl}`;
  switch (kind) {
    case "auth":
      if (keyVariables.length === 0) return `${provider} refused access${address}${status}${words}`;
      // A key that is known, but not for this: a country, a project, a model. Only the words say which.
      if (facts.status === 403)
        return `${provider} refused access${status} to the key of ${keyVariables.join(" or ")}${words}`;
      // What a provider says about a bad key repeats a part of it.
      return `${provider} refused the key${status}; check ${keyVariables.join(" or ")}`;
    case "unknown-model":
      return `${provider} has no model '${modelId}'${address}${words}`;
    case "unreachable":
      return `no answer from ${provider}${address}: ${networkWords(facts.networkCode ?? "")}`;
    case "rate-limited":
      return isOutOfCredit(facts)
        ? `${provider} has no credit left for this key${words}`
        : `${provider} is limiting requests${words}`;
    case "overloaded":
      return `${provider} failed${status || " while it answered"}${words}`;
    case "context-overflow":
      return `the conversation is too long for ${provider}/${modelId}${words}`;
    case "broken-stream":
      return `the answer of ${provider} broke off${words}`;
    default:
      return `${provider} refused the request${status}${words}`;
  }
}

function networkWords(code: string): string {
  if (/refused/i.test(code)) return "connection refused";
  if (/ENOTFOUND|EAI_AGAIN|FailedToOpenSocket|DNS/i.test(code)) return "host not found or out of reach";
  if (/timeout|ETIMEDOUT/i.test(code)) return "timed out";
  return code;
}

/** Bun puts the code on the error itself; the SDK may have wrapped that once or twice. */
function networkCodeOf(thrown: unknown): string | undefined {
  for (let current = thrown, depth = 0; depth < 4; current = asRecord(current)["cause"], depth += 1) {
    const code = asRecord(current)["code"];
    if (typeof code === "string" && current instanceof Error) return code;
    if (current instanceof Error && current.name === "TimeoutError") return "timeout";
  }
  return undefined;
}

/** `retry-after-ms`, `retry-after` in seconds or as a date, or Google's `"retryDelay": "7s"` in the body. */
function retryAfter(headers: Record<string, unknown>, body: string): number | undefined {
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

const longestSaid = 300;

function sayWithoutKey(message: string, apiKey: string | undefined): string {
  const clean = (apiKey ? message.replaceAll(apiKey, "[key]") : message)
    .replace(/\b(?:sk|pk|AIza|key)[-_][\w*.-]{6,}/g, "[key]")
    .replace(/\s+/g, " ")
    .trim();
  return clean.length > longestSaid ? `${clean.slice(0, longestSaid)}…` : clean;
}

/** The SDK's errors carry the whole request: nobody wants the conversation in a stack trace. */
function withoutRequest(error: Error): unknown {
  return "requestBodyValues" in error ? error.cause : error;
}

function isLoopback(baseUrl: string): boolean {
  return /^https?:\/\/(?:localhost|127\.|\[::1\])/.test(baseUrl);
}

function statusNamed(record: Record<string, unknown>): number | undefined {
  const code = number(record["code"]) ?? number(record["status"]);
  return code !== undefined && code >= 400 && code < 600 ? code : undefined;
}

function number(value: unknown): number | undefined {
  if (value === undefined || value === null || value === "" || typeof value === "boolean") return undefined;
  const parsed = Number(value);
  return Number.isFinite(parsed) ? parsed : undefined;
}
