/** Runs the user's own calls, `!` and `$`: shows them, answers their `input()`, and reports them to the model. */

import type { AgentSession } from "../app/agent-session.ts";
import { callTool } from "../app/tool-call.ts";
import { artifactIds } from "../history/artifacts-in.ts";
import { userMessage } from "../protocol/index.ts";
import type { Inspection } from "../ui/input/code-text.ts";
import type { Conversation } from "./conversation.ts";
import { type DirectCall, report } from "./direct-call.ts";
import { leaveEndedBranch, ownBranch } from "./own-branch.ts";
import { TypedLines } from "./typed-lines.ts";

type Host = Pick<Conversation, "store" | "session" | "alone" | "draw" | "code">;

export class OwnCalls {
  readonly #host: Host;
  readonly #lines: TypedLines;
  #count = 0;

  constructor(host: Host) {
    this.#host = host;
    this.#lines = new TypedLines(host.store);
  }

  /** What a cell has waited for. */
  enterLine(line: string): void {
    this.#lines.enter(line);
  }

  async run(call: DirectCall): Promise<void> {
    const { session } = this.#host;
    if (!session || this.#lacks(call.tool)) return;
    const { inspection } = call;
    // What was meant for a copy is not run in the kernel itself.
    if (call.tool === "python" && leaveEndedBranch(this.#host.store, session.services.python))
      this.#host.store.dispatch({ type: "handed_back", text: `${call.isReported ? "$" : "$$"}${call.code}` });
    else if (inspection)
      await this.#host.alone("asking the kernel", false, () => this.#inspect(call, inspection, session));
    else await this.#host.alone(`running ${call.tool}`, false, (signal) => this.#call(call, session, signal));
  }

  async #call(call: DirectCall, session: AgentSession, signal: AbortSignal): Promise<void> {
    const { store } = this.#host;
    this.#count += 1;
    const id = `direct-${this.#count}`;
    const { notice } = call;
    const by = call.isReported || notice !== undefined ? "user" : "private";
    const branch = call.tool === "python" && notice === undefined ? ownBranch(store) : undefined;
    const input = branch === undefined ? call.input : { ...Object(call.input), branch };
    store.dispatch({ type: "tool_call", id, name: call.tool, input, by });
    const result = await callTool(session.services, {
      id,
      name: call.tool,
      input,
      dryRun: false,
      isUsersOwn: true,
      signal,
      onUpdate: (text, cell) =>
        store.dispatch({ type: "tool_update", id, text, ...(cell === undefined ? {} : { cell }) }),
      onNested: async (event) => store.dispatch(event),
      openModel: session.openModel,
      agents: session.subagents,
      onBug: (text) => store.dispatch({ type: "notice", tone: "error", text }),
      readLine: (prompt) => this.#lines.read(prompt, signal),
    }).finally(() => this.#lines.enter(undefined));
    await this.#host.draw(id, result);
    store.dispatch({ type: "tool_result", id, name: call.tool, result });
    if (call.isReported) session.add(report({ ...call, branch }, result, artifactIds(result.details)));
    else if (notice === undefined) session.addPrivate({ name: call.tool, input }, result);
    if (notice !== undefined && !result.isError)
      session.add(userMessage(`[${notice}]`, { kind: "announcement", notice }));
  }

  /** Shows the kernel's help for a name, and reports it to the model unless the symbol is doubled. */
  async #inspect(call: DirectCall, { name, detail }: Inspection, session: AgentSession): Promise<void> {
    const { store, code } = this.#host;
    const help = await code.inspect(name, name.length, detail);
    if (help.kind !== "answer" || help.value === "") {
      const text = help.kind === "none" ? help.why : `${name}: no help found`;
      store.dispatch({ type: "notice", tone: "warning", text });
      return;
    }
    const title = `${call.code}${call.isReported ? "" : " (hidden from the model)"}`;
    store.dispatch({ type: "help", title, text: help.value });
    if (call.isReported) session.add(report(call, { output: Bun.stripANSI(help.value), isError: false }));
  }

  /** Whether the tool is switched off, or does not work here; then the user is shown why. */
  #lacks(tool: DirectCall["tool"]): boolean {
    const { session, store } = this.#host;
    if (session?.services.tools.get(tool) !== undefined) return false;
    const why = tool === "python" ? store.get().facts.kernel.problem : undefined;
    const what = tool === "python" ? "Python" : "The shell";
    const text = `${what} is off${why === undefined ? "" : `: ${why}`}`;
    store.dispatch({ type: "notice", tone: "warning", text });
    return true;
  }
}
