/** What a cell asks omp while it runs (`src/kernel/python/questions.py`): today, whether a command may run. */

import type { MessageContent } from "../../kernel/kernel.ts";
import type { ToolContext } from "../../protocol/index.ts";
import { asRecord } from "../../protocol/record.ts";

/** Never rejects: what cannot be judged does not run. */
export async function answerCell(
  question: MessageContent,
  { refusalOf }: Pick<ToolContext, "refusalOf">,
): Promise<MessageContent> {
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
