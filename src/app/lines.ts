/** Lines and text from a byte stream as they arrive, until the stream ends or the signal aborts. Throws when stdin cannot be read. */

import { onAbort } from "../async/abort.ts";
import { OmpError, systemCode } from "../protocol/index.ts";

/** Without their ends (`\n` or `\r\n`); a last line needs none. */
export async function* lines(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  // Pieces are joined when a line ends: the cost of a very long line is linear.
  let pieces: string[] = [];
  const take = (piece: string) => {
    const line = [...pieces, piece].join("");
    pieces = [];
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  };
  for await (const text of decoded(stream, signal)) {
    const parts = text.split("\n");
    const rest = parts.pop() ?? "";
    for (const part of parts) {
      yield take(part);
      if (signal.aborted) return;
    }
    if (rest !== "") pieces.push(rest);
  }
  // What an abort leaves is half a line.
  if (pieces.length > 0 && !signal.aborted) yield take("");
}

export async function wholeText(stream: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<string> {
  const pieces: string[] = [];
  for await (const text of decoded(stream, signal)) pieces.push(text);
  return pieces.join("");
}

async function* decoded(stream: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<string> {
  const reader = await Promise.try(() => stream.getReader()).catch(unreadable);
  const stopListening = onAbort(signal, () => void reader.cancel().catch(() => undefined));
  // Also drops a byte order mark.
  const decoder = new TextDecoder();
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read().catch(unreadable);
      if (done) break;
      yield decoder.decode(value, { stream: true });
    }
    if (!signal.aborted) yield decoder.decode();
  } finally {
    stopListening();
    // A caller that stops early leaves nothing that waits for more input.
    await reader.cancel().catch(unreadable);
  }
}

/** The system may refuse stdin when it is opened, or at the first read: a directory, for one. */
export function unreadable(error: unknown): never {
  const code = systemCode(error);
  if (code === undefined || error instanceof OmpError) throw error;
  throw new OmpError({ operation: "omp", issue: "cannot read stdin", code }, { cause: error });
}
