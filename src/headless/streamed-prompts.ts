/** `--input-format stream-json`: one `{"type": "user", "text": "…"}` a line of stdin, each answered before the next is read. */

import { lines } from "../app/lines.ts";
import { OmpError, type UserMessage, userMessage } from "../protocol/index.ts";
import { asRecord, parseJson } from "../protocol/record.ts";

/** @param first the prompt of the command line. Throws OmpError for a line that is no prompt. */
export async function* streamedPrompts(
  first: string | undefined,
  stdin: ReadableStream<Uint8Array> | undefined,
  signal: AbortSignal,
): AsyncGenerator<UserMessage> {
  if (first !== undefined) yield userMessage(first);
  if (stdin === undefined) return;
  let number = 0;
  for await (const line of lines(stdin, signal)) {
    number += 1;
    if (line.trim() === "") continue;
    const { type, text } = asRecord(parseJson(line));
    if (type !== "user" || typeof text !== "string" || text === "") {
      const issue = `line ${number} of stdin is not {"type": "user", "text": "…"}`;
      throw new OmpError({ operation: "omp", issue, code: "INVALID_INPUT" });
    }
    yield userMessage(text);
  }
}
