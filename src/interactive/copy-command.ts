/** `/copy`: the last answer, into the clipboard. */

import { count } from "../format/numbers.ts";
import { messageText } from "../protocol/index.ts";
import { inform, type OpenCall, warn } from "./command.ts";

export async function copy(call: OpenCall): Promise<void> {
  const answers = call.session.agent.history.filter(({ role }) => role === "assistant");
  const text = answers
    .map((message) => ("content" in message ? messageText(message, "").trim() : ""))
    .findLast((each) => each !== "");
  if (text === undefined) return warn(call, "No answer to copy yet.");
  const { copyWithProgram, osc52 } = await import("./clipboard.ts");
  const sequence = osc52(text);
  call.screen.write(sequence);
  const hasCopied = await copyWithProgram(text, call.invocation);
  if (!hasCopied && sequence === "")
    return warn(
      call,
      "The answer is too long for the terminal's clipboard; install wl-copy, xclip or pbcopy.",
    );
  inform(call, `Copied the last answer: ${count(text.split("\n").length, "line")}.`);
}
