/**
 * What can be read out of whatever a failed attempt threw.
 *
 * The AI SDK throws its own errors, passes on what fetch throws, and streams the provider's error objects as parts. They
 * are distinguished by shape, not by class, so that nothing of the SDK is loaded here.
 */

import { asRecord, parseJson, type UnknownRecord } from "../protocol/record.ts";

export interface Facts {
  readonly message: string;
  readonly status: number | undefined;
  /** The provider's own codes: `overloaded_error`, `context_length_exceeded`, `RESOURCE_EXHAUSTED`, … */
  readonly words: string;
  /** From fetch, when there was no answer: `ConnectionRefused`, `ECONNRESET`, … */
  readonly networkCode: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** What arrived is not in the API's format: another attempt may well end in the same way. */
  readonly isUnreadable: boolean;
  /** The SDK refuses to send the request. */
  readonly isUnsendable: boolean;
}

const UNSENDABLE =
  /^AI_(?:UnsupportedFunctionality|InvalidPrompt|InvalidArgument|NoSuchModel|LoadAPIKey|LoadSetting)Error$/;

export function readFacts(thrown: unknown): Facts {
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
  const networkCode = status === undefined ? networkCodeOf(thrown) : undefined;
  const unreadable = networkCode === undefined ? unreadableMessage(record, answered ?? status) : undefined;
  return {
    message: unreadable ?? messageOf(thrown, record, inner),
    status,
    words,
    networkCode,
    retryAfterMs: wait > 0 ? wait : undefined,
    isUnreadable: unreadable !== undefined,
    isUnsendable: UNSENDABLE.test(name),
  };
}

/** Undefined when it was not that. The SDK's own words are about its code, and quote all that it got. */
function unreadableMessage(record: UnknownRecord, status: number | undefined): string | undefined {
  const message = String(record["message"]);
  switch (record["name"]) {
    case "NotAStreamError":
      return message;
    case "AI_TypeValidationError":
      // An event that the SDK cannot parse may still hold a message: `{"error":"the model has crashed"}`.
      return messageIn(record["value"]) === undefined
        ? `it sent an event that omp cannot read: ${briefly(record["value"])}`
        : undefined;
    case "AI_JSONParseError":
      return `it sent something that is not JSON: ${briefly(record["text"])}`;
    case "AI_EmptyResponseBodyError":
      return "it sent nothing";
    case "AI_InvalidResponseDataError":
      return /without a finish reason/.test(message)
        ? undefined
        : `it sent something that omp cannot read: ${message}`;
    case "TypeError":
      return `it sent something that omp cannot read: ${message}`;
    case "AI_APICallError":
      if (/^Received a Chat Completions stream/.test(message))
        return "it speaks Chat Completions, not Responses; add it to `endpoints` in the settings";
      // Fine by its status, and nothing that the API knows.
      return status !== undefined && status < 400 ? message : undefined;
    default:
      return undefined;
  }
}

function messageOf(thrown: unknown, record: UnknownRecord, inner: UnknownRecord): string {
  if (typeof thrown === "string") return thrown;
  switch (record["name"]) {
    case "AI_TypeValidationError":
      return messageIn(record["value"]) ?? "";
    case "AI_InvalidResponseDataError":
      return "the stream ended before the turn did";
    case "AI_UnsupportedFunctionalityError":
      return `this API has no way to send ${record["functionality"]}`;
  }
  const own = typeof record["message"] === "string" ? record["message"] : "";
  const deeper = typeof inner["message"] === "string" ? inner["message"] : "";
  // The SDK falls back to the status text when the body is not of the provider's usual shape.
  const body = typeof record["responseBody"] === "string" ? record["responseBody"] : "";
  const isPlain = body !== "" && deeper === "" && !/^\s*[<]/.test(body);
  const answer = isPlain ? parseJson(body) : {};
  return (answer === undefined ? body : messageIn(answer)) ?? (own || deeper);
}

const MAX_QUOTE_LENGTH = 120;

function briefly(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH)}…` : text;
}

/** From `{"error":"model 'x' not found"}`, `{"message":"…"}` and the like, as imitating servers answer. */
function messageIn(answer: unknown): string | undefined {
  const { error, message, detail } = asRecord(answer);
  return [error, message, detail].find((each) => typeof each === "string");
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

function statusNamed(record: UnknownRecord): number | undefined {
  const code = number(record["code"]) ?? number(record["status"]);
  return code !== undefined && code >= 400 && code < 600 ? code : undefined;
}

function number(value: unknown): number | undefined {
  if (value === undefined || value === null || value === "" || typeof value === "boolean") return undefined;
  const parsed = Number(value);
  return Number.isFinite(parsed) ? parsed : undefined;
}
