/** Newline-separated JSON from a byte stream. */

/** Lines that are not JSON objects are skipped: other code printed them. */
export async function* jsonLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<object, void, void> {
  const decoder = new TextDecoder();
  let pending = "";
  for await (const chunk of stream) {
    pending += decoder.decode(chunk, { stream: true });
    const lines = pending.split("\n");
    pending = lines.pop() ?? "";
    for (const line of lines) {
      const value = parseObject(line);
      if (value !== undefined) yield value;
    }
  }
}

function parseObject(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
