/** What was typed, as the message that the model gets: with its pictures, and with what MCP servers give for it. */

import type { AgentSession } from "../app/agent-session.ts";
import { OmpError, type UserMessage } from "../protocol/index.ts";
import type { Store } from "../ui/store/store.ts";
import type { Attachments } from "./attachments.ts";

export interface TypedMessageParts {
  readonly session: AgentSession;
  readonly attachments: Attachments;
  readonly store: Store;
}

/** Whether more goes to the model than what was typed. */
export function standsForMore(
  text: string,
  { session, attachments }: Omit<TypedMessageParts, "store">,
): boolean {
  return attachments.mentions(text) || session.needsPreparing(text);
}

/** @returns undefined where nothing can be sent, which the user is told, as they are of what could not be attached. */
export async function typedMessage(
  text: string,
  { session, attachments, store }: TypedMessageParts,
  signal: AbortSignal,
): Promise<UserMessage | undefined> {
  const tell = (tone: "warning" | "error", words: string) =>
    store.dispatch({ type: "notice", tone, text: words });
  const named = await attachments.messageFor(text, session);
  try {
    const { message, problems } = await session.prepare(text, named.message, signal);
    const { name, acceptsImages } = session.model.facts;
    const isBlind = !acceptsImages && hasImage(message) && !hasImage(named.message);
    const blind = `${name} does not accept images; it is only told that there was one.`;
    for (const problem of [...named.problems, ...problems.map((each) => each.message)])
      tell("warning", problem);
    if (isBlind) tell("warning", blind);
    return message;
  } catch (error) {
    if (!(error instanceof OmpError) && error !== signal.reason) throw error;
    // To be corrected and sent again.
    store.dispatch({ type: "handed_back", text });
    if (error instanceof OmpError) tell("error", error.message);
    return undefined;
  }
}

function hasImage({ content }: UserMessage): boolean {
  return content.some(({ type }) => type === "image");
}
