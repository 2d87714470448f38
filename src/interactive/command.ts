/** What a `/` command is, what it has at hand, and how it answers. */

import type { AgentSession } from "../app/agent-session.ts";
import type { Invocation } from "../protocol/invocation.ts";
import type { CommandRow } from "../ui/store/actions.ts";
import type { TableRow } from "../ui/store/state.ts";
import type { Conversation } from "./conversation.ts";
import type { Screen } from "./screen.ts";

export type { TableRow } from "../ui/store/state.ts";

/** What is beyond the conversation. */
export interface CommandHost {
  readonly screen: Pick<Screen, "look" | "adopt" | "showPager">;
  /** Closes the session and opens another one. Throws what opening it throws: then nothing has changed. */
  resume(id: string): Promise<void>;
}

export interface CommandCall {
  /** What was typed after the name. */
  readonly argument: string;
  readonly talk: Conversation;
  readonly invocation: Invocation;
  readonly host: CommandHost;
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

/** For what needs the session, and nobody else who works in it. */
export function whileIdle(run: (call: OpenCall) => Promise<void> | void): Command["run"] {
  return withSession(async (call) => {
    if (call.talk.isRunning) warn(call, "Something else is running; Esc stops it.");
    else await run(call);
  });
}

export function tell({ talk }: CommandCall, text: string): void {
  talk.store.dispatch({ type: "told", tone: "info", text });
}

export function warn({ talk }: CommandCall, text: string): void {
  talk.store.dispatch({ type: "told", tone: "warning", text });
}

export interface AnswerParts {
  readonly title: string;
  readonly rows?: readonly TableRow[];
  readonly text?: string;
}

export function answer({ talk }: CommandCall, { title, rows = [], text = "" }: AnswerParts): void {
  talk.store.dispatch({ type: "answer", title, text, rows });
}
