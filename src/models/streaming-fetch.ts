/**
 * `fetch` for streamed answers: adds what the user wants in every request, waits as long as the caller does, ends a stream at the
 * provider's last event, and turns an answer that is not a stream into an error.
 */

import { asRecord, parseJson } from "../protocol/record.ts";
import { type EventFormat, formatEvents } from "./event-stream.ts";
import { notAStreamError } from "./failure.ts";

export interface StreamingOptions {
  readonly events: EventFormat;
  /** Fields of the request's body, in addition to omp's own or in their place. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export function streamingFetch({ events, parameters }: StreamingOptions): typeof fetch {
  return Object.assign(
    async (input: string | URL | Request, init?: RequestInit) => {
      // Bun gives up on a silent connection after five minutes; the idle timeout of the model decides instead.
      const options = { ...init, body: withParameters(init?.body, parameters), timeout: false };
      const response = await requireStream(await fetch(input, options as RequestInit));
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
