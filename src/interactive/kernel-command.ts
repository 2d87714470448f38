/** `/kernel`, and `/kernel move <place>`: the kernel continues in a gateway, or here again, with its variables. */

import type { MovedVariables } from "../app/move-kernel.ts";
import { count, formatSize } from "../format/numbers.ts";
import { userMessage } from "../protocol/index.ts";
import { type CommandCall, inform, type OpenCall, warn, whileIdle } from "./command.ts";
import { kernel } from "./inquiries.ts";
import { showPython } from "./kernel-facts.ts";

const MAX_NAMED = 20;

const stages = {
  keeping: "saving variables",
  fetching: "fetching variables",
  restoring: "loading variables",
} as const;

export async function kernelCommand(call: CommandCall): Promise<void> {
  const [verb = "", place = "", ...rest] = call.argument.split(/\s+/);
  if (verb === "") return await kernel(call);
  if (verb !== "move" || rest.length > 0)
    return warn(call, "Usage: /kernel or /kernel move <gateway or local>.");
  await whileIdle((open) => move(open, place))(call);
}

async function move(call: OpenCall, place: string): Promise<void> {
  const { session, conversation } = call;
  const { placesToMoveTo } = await import("../app/move-kernel.ts");
  const places = placesToMoveTo(session.services);
  if (!places.includes(place)) {
    const issue = place === "" ? "Where to?" : `No gateway '${place}'. Try`;
    const names = places.map((name) => `/kernel move ${name}`).join(", ");
    return warn(call, `${issue} ${names}. Add gateways in the setting gateways.`);
  }
  await conversation.alone(`moving the kernel to ${place}`, false, (signal) => perform(call, place, signal));
}

/** Throws KernelError: the kernel is then where it was. */
async function perform(call: OpenCall, place: string, signal: AbortSignal): Promise<void> {
  const { session, conversation } = call;
  const { store } = conversation;
  const { python } = session.services;
  const { state } = store.get().facts.kernel;
  try {
    const moved = await session.moveKernel(place, {
      signal,
      onProgress: ({ stage, done, all }) => {
        const amount = all === 0 ? "" : ` (${formatSize(done)} of ${formatSize(all)})`;
        store.dispatch({ type: "kernel", progress: `${stages[stage]}${amount}` });
      },
    });
    const text = movedText(python.host.name, moved);
    const files = python.host.isElsewhere ? " The project's files may not be there." : "";
    const notice = `The user has moved the Python kernel. ${text}${files}`;
    session.add(userMessage(`[${notice}]`, { kind: "announcement", notice }));
    store.dispatch({ type: "kernel", state: moved === undefined ? "none" : "idle", problem: undefined });
    inform(call, text);
    await showPython(session.services, { store, isCurrent: () => conversation.session === session });
  } catch (error) {
    store.dispatch({ type: "kernel", state });
    if (!signal.aborted) throw error;
    inform(call, "The kernel was not moved.");
  } finally {
    store.dispatch({ type: "kernel", progress: undefined });
  }
}

function movedText(where: string, moved: MovedVariables | undefined): string {
  if (moved === undefined) return `From its first cell on, the kernel runs ${where}.`;
  const { names, bytes, left, notes } = moved;
  const shown = left.slice(0, MAX_NAMED).map(({ name, why }) => `${name} (${why})`);
  const more = left.length > MAX_NAMED ? ` and ${left.length - MAX_NAMED} more` : "";
  return [
    `The kernel now runs ${where}, with ${count(names.length, "variable")} (${formatSize(bytes)}).`,
    ...(left.length === 0 ? [] : [`Left behind: ${shown.join(", ")}${more}.`]),
    ...notes.map((note) => `Note: ${note}.`),
  ].join(" ");
}
