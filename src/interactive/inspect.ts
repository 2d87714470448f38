/** `$name?`: the kernel's help for a name, shown, and reported to the model unless the symbol is doubled. */

import type { AgentSession } from "../app/agent-session.ts";
import type { CodeHelp } from "../ui/store/code-help.ts";
import type { Store } from "../ui/store/store.ts";
import { type InspectionCall, report } from "./direct-call.ts";

export async function inspectName(
  call: InspectionCall,
  {
    code,
    store,
    session,
  }: { readonly code: CodeHelp; readonly store: Store; readonly session: AgentSession },
): Promise<void> {
  const { name, detail, isReported } = call;
  const answer = await code.inspect(name, name.length, detail);
  if (answer.kind !== "answer" || answer.value === "") {
    const text = answer.kind === "none" ? answer.why : `${name}: nothing is known about it`;
    store.dispatch({ type: "notice", tone: "warning", text });
    return;
  }
  const title = `${call.code}${isReported ? "" : " (hidden from the model)"}`;
  store.dispatch({ type: "help", title, text: answer.value });
  const output = Bun.stripANSI(answer.value);
  if (isReported) session.agent.queue(report(call, { output }));
}
