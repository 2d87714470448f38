/**
 * `fetch` for addresses on this machine. Bun's own sends even those to HTTP_PROXY, which knows nothing of our machine, and would get
 * the token.
 */

import { request } from "node:http";
import { Readable } from "node:stream";
import { onAbort } from "../../async/abort.ts";

export interface DirectRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** Plain HTTP to a loopback address. */
export function isDirect(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Follows no redirects. Fails with the signal's reason when that ends it. */
export async function directFetch(url: string, options: DirectRequest): Promise<Response> {
  const { method, headers, body, signal } = options;
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const call = request(url, { method, headers: { ...headers }, agent: false });
  const stopListening = onAbort(signal, () => {
    reject(signal.reason);
    call.destroy();
  });
  call.on("close", stopListening);
  call.on("error", reject);
  call.on("response", (answer) => {
    const status = answer.statusCode ?? 502;
    const isEmpty = status === 204 || status === 304;
    const content = isEmpty ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
    const pairs = Object.entries(answer.headers).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    resolve(new Response(content, { status, headers: pairs }));
  });
  call.end(body);
  return await promise;
}
