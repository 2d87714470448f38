/** A connection that the server kept open after an answer, and closes just as the next request goes out on it. */

import { afterEach, expect, test } from "bun:test";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { compatible } from "./formats/compatible.ts";
import { openAt, turnOf } from "./turn-of.ts";

let server: Server;
afterEach(() => server.close());

/** Answers the first request on each connection, and closes the connection at the second. */
async function serveOncePerConnection(shouldAnswer: (request: number) => boolean = () => true) {
  const used = new Set<Socket>();
  const counts = { requests: 0, closed: 0 };
  server = createServer((request, response) => {
    if (request.method === "GET") return void response.writeHead(404, { connection: "close" }).end();
    counts.requests += 1;
    if (used.has(request.socket) || !shouldAnswer(counts.requests)) {
      counts.closed += 1;
      request.socket.destroy();
      return;
    }
    used.add(request.socket);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(compatible.turn({ text: [`answer ${counts.requests}`] }).join(""));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { counts, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test("is not worth a word: the request is sent again on another connection", async () => {
  const { counts, url } = await serveOncePerConnection();
  const model = await openAt(compatible, url);
  const turns = [await turnOf(model), await turnOf(model)];
  expect(turns.map(({ text, retries }) => [text, retries])).toEqual([
    ["answer 1", []],
    ["answer 3", []],
  ]);
  expect(counts).toEqual({ requests: 3, closed: 1 });
});

test("a server that takes no more requests is told as one", async () => {
  const { counts, url } = await serveOncePerConnection((request) => request !== 2 && request !== 3);
  const model = await openAt(compatible, url);
  await turnOf(model);
  const { text, retries } = await turnOf(model);
  expect([text, retries.map(({ reason }) => reason)]).toEqual(["answer 4", ["connection to mine lost"]]);
  expect(counts).toEqual({ requests: 4, closed: 2 });
});
