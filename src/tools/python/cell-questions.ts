/** What a cell asks omp while it runs (`src/kernel/python/questions.py`): whether a command may run, what the user types, and calls of its own. */

import type { MessageContent } from "../../kernel/kernel.ts";
import type { Bridge, ToolContext } from "../../protocol/index.ts";
import { asRecord } from "../../protocol/record.ts";

export interface Answering extends Pick<ToolContext, "refusalOf" | "readLine"> {
  readonly bridge: Bridge | undefined;
}

/** Undefined where there is nobody to answer. */
export function answerCells({ refusalOf, readLine, bridge }: Answering) {
  if (refusalOf === undefined && bridge === undefined) return undefined;
  return async (question: MessageContent): Promise<MessageContent> => {
    if (question["about"] === "command") return await judge(question, refusalOf);
    if (question["about"] === "input") return await typedLine(question, readLine);
    return (await bridge?.answer(question)) ?? {};
  };
}

/** Without a line where nobody types one: the cell then ends with an explanation. */
async function typedLine(
  { prompt }: MessageContent,
  readLine: Answering["readLine"],
): Promise<MessageContent> {
  const line = await readLine?.(typeof prompt === "string" ? prompt : "");
  return line === undefined ? {} : { line };
}

/** Never rejects: what cannot be judged does not run. */
async function judge(question: MessageContent, refusalOf: Answering["refusalOf"]): Promise<MessageContent> {
  const { command, cwd, variables } = question;
  if (typeof command !== "string" || typeof cwd !== "string" || refusalOf === undefined) return {};
  const texts = Object.entries(asRecord(variables)).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  );
  try {
    return { refusal: (await refusalOf({ command, cwd, variables: Object.fromEntries(texts) })) ?? null };
  } catch (error) {
    return { refusal: `the command could not be checked: ${error instanceof Error ? error.message : error}` };
  }
}
