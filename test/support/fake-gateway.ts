/** A server on loopback in the place of a gateway, with answers that the test decides. */

import { afterEach } from "bun:test";

export interface SeenRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface FakeGateway {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
}

const open: { stop(force: boolean): unknown }[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.stop(true)));
});

export function fakeGateway(
  answer: (request: SeenRequest) => Response | Promise<Response>,
  options: { readonly tls?: { readonly cert: string; readonly key: string } } = {},
): FakeGateway {
  const seen: SeenRequest[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    ...options,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url);
      const one = {
        method: request.method,
        path: `${pathname}${search}`,
        headers: Object.fromEntries(request.headers),
        body: await request.text(),
      };
      seen.push(one);
      return await answer(one);
    },
  });
  open.push(server);
  return { url: server.url.href, seen };
}

/** The answer of a healthy gateway with one Python. */
export function kernelSpecsAnswer(): Response {
  const spec = { display_name: "Python 3", language: "python", argv: [] };
  return Response.json({ default: "python3", kernelspecs: { python3: { name: "python3", spec } } });
}
