/** What a `/` command is, what it gets, and how it answers. */

import type { AgentSession } from "../app/agent-session.ts";
import type { Invocation } from "../protocol/invocation.ts";
import type { CommandRow } from "../ui/store/actions.ts";
import type { TableRow } from "../ui/store/state.ts";
import type { Conversation } from "./conversation.ts";
import type { Screen } from "./screen.ts";

export type { TableRow } from "../ui/store/state.ts";

/** What commands need beyond the conversation. */
export interface CommandHost {
  readonly screen: Pick<Screen, "look" | "adopt" | "showPager">;
  /** Closes the session and opens another one. Throws what opening it throws: then nothing has changed. */
  resume(id: string): Promise<void>;
}

export interface CommandCall {
  /** What was typed after the name. */
  readonly argument: string;
  readonly conversation: Conversation;
  readonly invocation: Invocation;
  readonly host: CommandHost;
}

export interface Command extends CommandRow {
  run(call: CommandCall): Promise<void> | void;
}

export type OpenCall = CommandCall & { readonly session: AgentSession };

/** For commands that need the session, which is opened a moment after the prompt appears. */
export function withSession(run: (call: OpenCall) => Promise<void> | void): Command["run"] {
  return async (call) => {
    const { session } = call.conversation;
    if (session) await run({ ...call, session });
    else inform(call, "The session is still being opened; try again in a moment.");
  };
}

/** For commands that need the session while nothing runs in it. */
export function whileIdle(run: (call: OpenCall) => Promise<void> | void): Command["run"] {
  return withSession(async (call) => {
    if (call.conversation.isRunning) warn(call, "Something else is running; Esc stops it.");
    else await run(call);
  });
}

export function inform({ conversation }: CommandCall, text: string): void {
  conversation.store.dispatch({ type: "notice", tone: "info", text });
}

export function warn({ conversation }: CommandCall, text: string): void {
  conversation.store.dispatch({ type: "notice", tone: "warning", text });
}

export interface AnswerParts {
  readonly title: string;
  readonly rows?: readonly TableRow[];
  readonly text?: string;
}

export function answer({ conversation }: CommandCall, { title, rows = [], text = "" }: AnswerParts): void {
  conversation.store.dispatch({ type: "answer", title, text, rows });
}
