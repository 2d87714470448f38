/** Newline-separated JSON from a byte stream. */

import { parseJson } from "../protocol/record.ts";

/** Lines that are not JSON objects are skipped: other code printed them. */
export async function* jsonLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<object, void, void> {
  const decoder = new TextDecoder();
  let pending = "";
  for await (const chunk of stream) {
    pending += decoder.decode(chunk, { stream: true });
    const lines = pending.split("\n");
    pending = lines.pop() ?? "";
    for (const line of lines) {
      const value = parseJson(line);
      if (typeof value === "object" && value !== null) yield value;
    }
  }
}
