/**
 * A provider's server-sent events on their way to the SDK. The stream ends at the provider's last event: some servers and proxies leave
 * the connection open. A format may also put right what its servers leave out.
 */

/** What differs between formats. Both are made again for every stream, and get the data of its events one by one. */
export interface EventFormat {
  /** Whether it is the last one. */
  readonly ender: () => (data: string) => boolean;
  /** The events to pass on in its place. */
  readonly makeRepair?: () => (data: string) => readonly string[];
}

export function formatEvents(
  body: ReadableStream<Uint8Array>,
  { ender, makeRepair }: EventFormat,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const isLast = ender();
  const repair = makeRepair?.();
  let waiting = "";

  /** The whole events that have arrived; the rest waits. */
  const take = (isEnd: boolean): string[] => {
    const events = waiting.split(/\r\n\r\n|\n\n|\r\r/);
    waiting = isEnd ? "" : (events.pop() ?? "");
    return events.filter((event) => event !== "");
  };

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      // Until there is something to pass on: a stream is not asked again before that.
      for (let isPassed = false; !isPassed; ) {
        const { done, value } = await reader.read();
        waiting += done ? decoder.decode() : decoder.decode(value, { stream: true });
        for (const event of take(done)) {
          const data = dataOf(event);
          const passed = repair && data !== undefined ? repair(data).map((each) => `data: ${each}`) : [event];
          controller.enqueue(encoder.encode(passed.map((each) => `${each}\n\n`).join("")));
          isPassed = true;
          if (data === undefined || !isLast(data)) continue;
          controller.close();
          // Nobody waits for the server to close it.
          reader.cancel().catch(() => undefined);
          return;
        }
        if (done) {
          controller.close();
          return;
        }
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Undefined for a comment, which servers send to keep a connection alive. */
function dataOf(event: string): string | undefined {
  const lines = event.split(/\r\n|\n|\r/).filter((line) => line.startsWith("data:"));
  return lines.length === 0
    ? undefined
    : lines.map((line) => line.slice("data:".length).trimStart()).join("\n");
}
