/** A Chat Completions server on loopback that answers at once, or after the time that a model would think: with the scripted tool calls, then with "Hello". */

export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
}

interface Seen {
  readonly bytes: number;
  /** When the whole request had arrived, and when it was answered. */
  readonly receivedAt: number;
  readonly answeredAt: number;
}

export class LoopbackModel {
  readonly #server: Bun.Server<undefined>;
  #left: ToolCall[] = [];
  #onRequest: () => void = () => undefined;
  /** Before each answer. */
  thinkingMs = 0;
  #seen: Seen[] = [];

  constructor() {
    this.#server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        const body = await request.text();
        const receivedAt = performance.now();
        this.#onRequest();
        if (this.thinkingMs > 0) await Bun.sleep(this.thinkingMs);
        const response = new Response(this.#answer(), { headers: { "content-type": "text/event-stream" } });
        this.#seen.push({ bytes: Buffer.byteLength(body), receivedAt, answeredAt: performance.now() });
        return response;
      },
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/v1`;
  }

  get requests(): readonly Seen[] {
    return this.#seen;
  }

  /** The tool calls of the next run, one per turn. */
  script(calls: readonly ToolCall[], onRequest: () => void = () => undefined): void {
    this.#left = [...calls];
    this.#onRequest = onRequest;
    this.#seen = [];
  }

  /** Milliseconds from each answer to the request that contains its result. */
  gaps(): number[] {
    return this.#seen
      .slice(1)
      .map(({ receivedAt }, index) => receivedAt - (this.#seen[index]?.answeredAt ?? Number.NaN));
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
  }

  #answer(): string {
    const call = this.#left.shift();
    const delta = call
      ? {
          tool_calls: [
            {
              index: 0,
              id: `call_${this.#seen.length}`,
              type: "function",
              function: { name: call.name, arguments: JSON.stringify(call.input) },
            },
          ],
        }
      : { content: "Hello" };
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
    return [
      chunk({ choices: [{ index: 0, delta: { role: "assistant", ...delta } }] }),
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: call ? "tool_calls" : "stop" }], usage }),
      "data: [DONE]\n\n",
    ].join("");
  }
}

function chunk(fields: object): string {
  const always = { id: "x", object: "chat.completion.chunk", created: 1, model: "bench" };
  return `data: ${JSON.stringify({ ...always, ...fields })}\n\n`;
}
