/** The prompt of a headless run: what was typed, and what was piped, in a block below it or, where that is large, as an input of the session. */

import type { InputMessages } from "../app/input-messages.ts";
import { stdinBlock } from "../app/input-messages.ts";
import { type Spooled, spoolInput } from "../app/input-spool.ts";
import { OmpError, type TextContent, type UserMessage } from "../protocol/index.ts";

/** Read before the session is opened, since that needs what may not be there. */
export interface HeadlessPrompt {
  /** Made once there is a session that keeps what is large. Throws OmpError. */
  message(inputs: InputMessages): UserMessage;
  /** Removes what no session has taken over. */
  discard(): void;
}

export interface PromptOptions {
  /** Where large input is kept until there is a session. */
  readonly directory: string;
  readonly signal: AbortSignal;
  readonly warn: (line: string) => void;
}

/** Waits for the end of the piped text. Undefined when aborted; throws when there is nothing to ask. */
export async function headlessPrompt(
  typed: string | undefined,
  stdin: ReadableStream<Uint8Array> | undefined,
  options: PromptOptions,
): Promise<HeadlessPrompt | undefined> {
  const piped = stdin === undefined ? { text: "" } : await spoolInput(stdin, options);
  if (piped === undefined || options.signal.aborted) {
    if (piped && "path" in piped) piped.discard();
    return undefined;
  }
  const block = "text" in piped && piped.text.trim() !== "" ? stdinBlock(piped.text) : "";
  const text = [typed ?? "", block].filter((part) => part.trim() !== "").join("\n\n");
  const spooled = "path" in piped ? piped : undefined;
  if (text === "" && spooled === undefined)
    throw new OmpError({ operation: "omp", issue: "-p needs a prompt or text on stdin", code: "USAGE" });
  return {
    message: (inputs) => ({
      role: "user",
      origin: { kind: block === "" && spooled === undefined ? "typed" : "stdin" },
      content: contentOf({ typed: typed ?? "", text, spooled }, inputs),
    }),
    discard: () => spooled?.discard(),
  };
}

interface PromptParts {
  readonly typed: string;
  /** With the block of what was piped. */
  readonly text: string;
  readonly spooled: Spooled | undefined;
}

function contentOf({ typed, text, spooled }: PromptParts, inputs: InputMessages): TextContent[] {
  return [
    ...(text === "" ? [] : [{ type: "text", text } as const]),
    ...inputs.files(typed),
    ...(spooled === undefined ? [] : [inputs.stdin(spooled)]),
  ];
}
