/**
 * `fetch` for streamed answers: adds what the user wants in every request, waits as long as the caller does, ends a stream at the
 * provider's last event, and turns an answer that is not a stream into an error.
 */

import { systemCode } from "../protocol/error.ts";
import { asRecord, parseJson } from "../protocol/record.ts";
import { ModelError } from "./errors.ts";
import { type EventFormat, formatEvents } from "./event-stream.ts";
import { notAStreamError } from "./failure.ts";

const MAX_REDIRECTS = 5;
const LOST_CONNECTION = /^(?:ECONNRESET|EPIPE|ConnectionClosed)$/;
/** Longer than a connection needs to say that it is gone; a server that dies later may have worked on the answer. */
const AT_ONCE_MS = 5_000;

export interface StreamingOptions {
  readonly events: EventFormat;
  /** Fields of the request's body, in addition to omp's own or in their place. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export function streamingFetch({ events, parameters }: StreamingOptions): typeof fetch {
  return Object.assign(
    async (input: string | URL | Request, init?: RequestInit) => {
      const body = withParameters(init?.body, parameters);
      const response = await requireStream(await fetchFromOrigin(input, { ...init, body }));
      if (!response.ok || response.body === null) return response;
      const { status, statusText, headers } = response;
      return new Response(formatEvents(response.body, events), { status, statusText, headers });
    },
    { preconnect: fetch.preconnect },
  );
}

function withParameters(
  body: RequestInit["body"],
  parameters: StreamingOptions["parameters"],
): RequestInit["body"] {
  if (typeof body !== "string" || Object.keys(parameters).length === 0) return body;
  return JSON.stringify({ ...asRecord(parseJson(body)), ...parameters });
}

/** Keys are sent in headers that `fetch` would repeat to wherever it is redirected: only the host that was named gets them. */
async function fetchFromOrigin(input: string | URL | Request, init: RequestInit): Promise<Response> {
  // Bun gives up on a silent connection after five minutes; the idle timeout of the model decides instead.
  const options = { ...init, redirect: "manual", timeout: false } as RequestInit;
  let url = new URL(input instanceof Request ? input.url : input);
  let response = await send(input, options);
  for (let redirects = 0; redirects < MAX_REDIRECTS; redirects += 1) {
    const location = response.headers.get("location");
    if (![307, 308].includes(response.status) || location === null) break;
    const target = new URL(location, url);
    if (target.origin !== url.origin) break;
    url = target;
    response = await send(url, options);
  }
  if (response.status < 300 || response.status >= 400) return response;
  const location = response.headers.get("location");
  const target = location === null ? "another address" : new URL(location, url).origin;
  throw new ModelError({
    kind: "unreachable",
    issue: `${url.origin} redirects to ${target}, where keys are not sent; set the base URL to the address to use`,
  });
}

const answeredBefore = new Set<string>();

/**
 * Servers close connections that have been idle, and may do so just as the next request goes out on one. Then nothing was answered and
 * nothing begun: it is sent once more, on a connection of its own, and not worth a word.
 */
async function send(input: string | URL | Request, options: RequestInit): Promise<Response> {
  const { origin } = new URL(input instanceof Request ? input.url : input);
  const sentAt = performance.now();
  try {
    const response = await fetch(input, options);
    answeredBefore.add(origin);
    return response;
  } catch (error) {
    const isAtOnce = performance.now() - sentAt < AT_ONCE_MS;
    const wasKept = answeredBefore.has(origin) && LOST_CONNECTION.test(systemCode(error) ?? "");
    if (!isAtOnce || !wasKept) throw error;
    return await fetch(input, { ...options, keepalive: false });
  }
}

/** The SDK takes an answer that is not a stream for an empty one: its message would be lost, and the request repeated. */
async function requireStream(response: Response): Promise<Response> {
  const type = response.headers.get("content-type") ?? "";
  if (!response.ok || !/\b(?:html|json)\b/i.test(type)) return response;
  // Some servers give their streams the wrong type.
  const start = (await readFirstChunk(response.clone().body)).trimStart();
  if (start.startsWith("<"))
    return new Response(null, { status: 404, statusText: "the address answers with a web page" });
  if (!/^[[{]/.test(start)) return response;
  throw notAStreamError(await response.text());
}

async function readFirstChunk(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const reader = body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  // One chunk is enough, even if the connection has broken since.
  reader?.cancel().catch(() => undefined);
  return new TextDecoder().decode(value);
}
