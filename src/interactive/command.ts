/** What a `/` command gets, and how it answers. */

import type { AgentSession } from "../app/agent-session.ts";
import type { Invocation } from "../protocol/invocation.ts";
import type { TableRow } from "../ui/store/state.ts";
import { type Conversation, SOMETHING_RUNS } from "./conversation.ts";
import type { Screen } from "./screen.ts";

export type { TableRow } from "../ui/store/state.ts";

export interface CommandCall {
  /** What was typed after the name. */
  readonly argument: string;
  readonly conversation: Conversation;
  readonly invocation: Invocation;
  readonly screen: Pick<Screen, "look" | "adopt" | "showPager" | "write" | "pictures">;
  /** Closes the session and opens another one: that of the id, or a new one. Throws what opening it throws: then nothing has changed. */
  readonly replace: (id?: string) => Promise<void>;
}

export interface OpenCall extends CommandCall {
  readonly session: AgentSession;
}

export type RunCommand<Call = CommandCall> = (call: Call) => Promise<void> | void;

/** For commands that need the session, which is opened a moment after the prompt appears. */
export function withSession(run: RunCommand<OpenCall>): RunCommand {
  return async (call) => {
    const { session } = call.conversation;
    if (session) await run({ ...call, session });
    else inform(call, "The session is still opening; try again in a moment.");
  };
}

/** For commands that need the session while nothing runs in it. */
export function whileIdle(run: RunCommand<OpenCall>): RunCommand {
  return withSession(async (call) => {
    if (call.conversation.isRunning) warn(call, SOMETHING_RUNS);
    else await run(call);
  });
}

export function inform({ conversation }: CommandCall, text: string): void {
  conversation.store.dispatch({ type: "notice", tone: "info", text });
}

export function warn({ conversation }: CommandCall, text: string): void {
  conversation.store.dispatch({ type: "notice", tone: "warning", text });
}

export function answer(
  { conversation }: CommandCall,
  title: string,
  rows: readonly TableRow[],
  text = "",
): void {
  conversation.store.dispatch({ type: "answer", title, text, rows });
}
