/** The prompt of a headless run: what was typed, and piped text in a block of its own below it. */

import { wholeText } from "../app/lines.ts";
import { OmpError, type UserMessage, userMessage } from "../protocol/index.ts";

/** No model could read more, and it would only fill the memory. */
const MAX_STDIN_BYTES = 16_000_000;
/** After this the user may wonder what omp is waiting for. */
const WARN_AFTER_MS = 3_000;

/** Waits for the end of the piped text. Undefined when aborted; throws when there is nothing to ask. */
export async function headlessPrompt(
  typed: string | undefined,
  stdin: ReadableStream<Uint8Array> | undefined,
  { signal, warn }: { readonly signal: AbortSignal; readonly warn: (line: string) => void },
): Promise<UserMessage | undefined> {
  const piped = stdin === undefined ? "" : await pipedText(stdin, signal, warn);
  const block = piped.trim() === "" ? "" : `<stdin>\n${piped.replace(/\n?$/, "\n")}</stdin>`;
  const prompt = [typed ?? "", block].filter((part) => part.trim() !== "").join("\n\n");
  if (signal.aborted) return undefined;
  if (prompt === "")
    throw new OmpError({ operation: "omp", issue: "-p needs a prompt, or text on stdin", code: "USAGE" });
  return userMessage(prompt, { kind: block === "" ? "typed" : "stdin" });
}

async function pipedText(
  stdin: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  warn: (line: string) => void,
): Promise<string> {
  const timer = setTimeout(
    () => warn("omp: waiting for the end of stdin (use < /dev/null if there is no input)"),
    WARN_AFTER_MS,
  );
  try {
    return await wholeText(stdin.pipeThrough(limited(MAX_STDIN_BYTES)), signal);
  } finally {
    clearTimeout(timer);
  }
}

function limited(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes <= maxBytes) controller.enqueue(chunk);
      else {
        const issue = `stdin has more than ${maxBytes / 1_000_000} MB; save it to a file and name the file in the prompt`;
        controller.error(new OmpError({ operation: "omp", issue, code: "TOO_LARGE" }));
      }
    },
  });
}
