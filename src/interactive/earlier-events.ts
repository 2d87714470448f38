/** What a session's log has, as events for the screen. */

import type { SessionEntry } from "../history/entry.ts";
import type { AgentEvent } from "../protocol/index.ts";
import { type Pictures, withPictures } from "../ui/images/pictures.ts";
import type { UiEvent } from "../ui/store/event.ts";
import type { OpenCall } from "./command.ts";
import { reportedCall } from "./direct-call.ts";
import { withColors } from "./earlier-colors.ts";

export interface TranscriptSources {
  readonly pictures: Pick<Pictures, "draw">;
  readonly artifacts: () => { find(id: string): string | undefined };
}

export async function transcriptEvents(
  entries: readonly SessionEntry[],
  { pictures, artifacts }: TranscriptSources,
): Promise<UiEvent[]> {
  const logged = await withPictures(entries.filter(isShown), pictures);
  // What the user ran is a report in the log, and a call on the screen.
  const events = logged.flatMap((event, at) =>
    event.type === "user" ? (reportedCall(event.message, `earlier-${at}`) ?? [event]) : [event],
  );
  return await withColors(events, (id) => artifacts().find(id));
}

/** Draws a conversation in the place of the one on the screen, with a line about it. */
export async function showConversation(
  entries: readonly SessionEntry[],
  note: string,
  { session, conversation, screen }: Pick<OpenCall, "session" | "conversation" | "screen">,
): Promise<void> {
  const { pictures } = screen;
  const { artifacts } = session.services;
  const events = await transcriptEvents(entries, { pictures, artifacts });
  const { store } = conversation;
  store.dispatch({ type: "cleared" });
  store.dispatch({ type: "facts", facts: { usedTokens: session.agent.usedTokens } });
  store.dispatch({ type: "restored", events, notes: [{ tone: "info", text: note }] });
}

/** The conversation, without the entries about opening and closing it. */
function isShown(entry: SessionEntry): entry is Extract<SessionEntry, AgentEvent> {
  return !["opened", "closed", "checkpoint", "rewound", "end"].includes(entry.type);
}
