/** A model on loopback (Chat Completions) that says what the test has it say, when the test has it say it. */

import { compatible } from "../models/formats/compatible.ts";

/** The body of a request. */
export type ModelBody = Readonly<Record<string, unknown>>;

export interface StreamingModel {
  /** For `-m`, with `env`. */
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  /** What was asked so far, newest last. */
  readonly requests: readonly ModelBody[];
  /** Resolves when the request for this turn has arrived. */
  say(text: string): Promise<void>;
  /** Ends the turn. */
  finish(): Promise<void>;
  /** Ends the answer in its middle; the next request is for the same turn. */
  breakOff(): Promise<void>;
  stop(): Promise<void>;
}

export function streamingModel(): StreamingModel {
  const opening = compatible.turn({ text: [""] });
  let asked = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
  const encoder = new TextEncoder();
  const requests: ModelBody[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      if (request.method === "GET") return new Response("", { status: 404 });
      requests.push((await request.json()) as ModelBody);
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          controller.enqueue(encoder.encode(opening[0]));
          asked.resolve(controller);
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  });
  const said = (text: string) => compatible.turn({ text: [text] })[1];
  return {
    name: "ollama/test-model",
    env: { OLLAMA_HOST: `http://127.0.0.1:${server.port}` },
    requests,
    say: async (text) => (await asked.promise).enqueue(encoder.encode(said(text))),
    finish: async () => {
      const turn = await asked.promise;
      asked = Promise.withResolvers();
      turn.enqueue(encoder.encode(opening.slice(2).join("")));
      turn.close();
    },
    breakOff: async () => {
      const turn = await asked.promise;
      asked = Promise.withResolvers();
      turn.close();
    },
    stop: () => server.stop(true),
  };
}
