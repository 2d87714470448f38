/**
 * A Chat Completions server in a process of its own whose answers take 50 ms: for `bench/bridge.ts`. Prints its port; `/open` says how many requests
 * it is answering.
 */

const ANSWER_MS = 50;

const chunk = (delta: object, finish: string | null) =>
  `data: ${JSON.stringify({ id: "x", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const body = `${chunk({ role: "assistant", content: "fine" }, null)}${chunk({}, "stop")}data: [DONE]\n\n`;

let open = 0;
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: async (request) => {
    if (new URL(request.url).pathname === "/open") return new Response(String(open));
    open += 1;
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    request.signal.addEventListener("abort", () => leave());
    await request.text();
    await Promise.race([Bun.sleep(ANSWER_MS), left]);
    open -= 1;
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  },
});
console.log(server.port);
