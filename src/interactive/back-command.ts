/** `/back`, and Esc twice at an empty prompt: goes back to an earlier message, here or in a copy, to write it anew. */

import { shownText } from "../protocol/index.ts";
import { inform, type OpenCall, warn } from "./command.ts";
import { transcriptEvents } from "./earlier-events.ts";

const FILES_STAY = "Files, Python variables and shell state stay as they are.";

export async function back(call: OpenCall): Promise<void> {
  const { session, conversation, screen } = call;
  const entries = session.entries();
  if (entries === undefined)
    return warn(call, "This session is not saved (--no-session), so you cannot go back.");
  const prompts = entries.flatMap((entry, index) =>
    entry.type === "user" && entry.message.origin.kind === "typed"
      ? [{ text: shownText(entry.message), index }]
      : [],
  );
  if (prompts.length === 0) return inform(call, "This session is still empty.");
  const choices = prompts
    .map(({ text, index }) => ({ label: oneLine(text), description: "", value: { text, index } }))
    .reverse();
  const chosen = await conversation.pickers.pick({ title: "Go back to (newest first)", choices });
  if (chosen === undefined) return;
  const how = await conversation.pickers.pick({
    title: oneLine(chosen.text),
    choices: [
      { label: "Go back", description: "remove this message and everything after it", value: "back" },
      { label: "Fork", description: "do that in a copy; this session stays as it is", value: "fork" },
    ],
  });
  if (how === undefined) return;
  const { signal } = new AbortController();
  const choice = { files: false, variables: false, conversation: true };
  const prompt = session.rewind.prompts()?.find(({ index }) => index === chosen.index);
  if (prompt === undefined) return;
  const original = how === "fork" ? session.fork(chosen.index) : undefined;
  if (how === "back")
    await session.rewind.perform(await session.rewind.preview(prompt, signal), choice, signal);
  const kept = await transcriptEvents(entries.slice(0, chosen.index), {
    pictures: screen.pictures,
    artifacts: session.services.artifacts,
  });
  const { store } = conversation;
  store.dispatch({ type: "cleared" });
  store.dispatch({ type: "facts", facts: { usedTokens: session.agent.usedTokens } });
  const where =
    original === undefined ? "Went back" : `Forked to ${session.sessionId}; the original is ${original}`;
  store.dispatch({
    type: "restored",
    events: kept,
    notes: [{ tone: "info", text: `${where}. ${FILES_STAY}` }],
  });
  store.dispatch({ type: "handed_back", text: chosen.text });
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
