/** What a `/` command is, and how it answers. */

import type { CommandRow } from "../../ui/actions.ts";
import type { AgentSession } from "../agent-session.ts";
import type { ModePlace } from "../io.ts";
import type { Conversation } from "./conversation.ts";

export interface CommandCall {
  /** What was written behind the name. */
  readonly argument: string;
  readonly talk: Conversation;
  readonly place: ModePlace;
}

export interface Command extends CommandRow {
  run(call: CommandCall): Promise<void> | void;
}

export type OpenCall = CommandCall & { readonly session: AgentSession };

/** For what needs the session, which is opened a moment after the prompt can be seen. */
export function withSession(run: (call: OpenCall) => Promise<void> | void): Command["run"] {
  return async (call) => {
    const { session } = call.talk;
    if (session) await run({ ...call, session });
    else tell(call, "The session is still being opened; try again in a moment.");
  };
}

export function tell({ talk }: CommandCall, text: string): void {
  talk.store.dispatch({ type: "told", tone: "info", text });
}

export function answer({ talk }: CommandCall, title: string, text: string): void {
  talk.store.dispatch({ type: "answer", title, text });
}

export type TableRow = readonly [string, string];

export function rows(list: readonly TableRow[], none = "none"): string {
  if (list.length === 0) return `  ${none}`;
  const width = Math.max(...list.map(([name]) => Bun.stringWidth(name)));
  return list.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join("\n");
}
