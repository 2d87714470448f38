/** Newline-separated JSON from a byte stream. */

export async function* jsonLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<unknown, void, void> {
  const decoder = new TextDecoder();
  let pending = "";
  for await (const chunk of stream) {
    pending += decoder.decode(chunk, { stream: true });
    const lines = pending.split("\n");
    pending = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") yield JSON.parse(line);
  }
}
