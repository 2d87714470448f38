/** `fetch` for streamed answers: waits as long as the caller does, and turns an answer that is not a stream into an error. */

import { notAStreamError } from "./failure.ts";

export const streamingFetch = Object.assign(
  async (input: string | URL | Request, init?: RequestInit) =>
    // Bun gives up on a silent connection after five minutes; the idle timeout of the model decides instead.
    await requireStream(await fetch(input, { ...init, timeout: false } as RequestInit)),
  { preconnect: fetch.preconnect },
);

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
