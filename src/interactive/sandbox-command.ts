/** `/sandbox`: what programs may do at the moment, and another choice for the rest of the session. */

import type { AgentSession } from "../app/agent-session.ts";
import { type SandboxSetting, sandboxSettings } from "../app/sandbox.ts";
import { userMessage } from "../protocol/index.ts";
import { answer, inform, type OpenCall, type TableRow, warn } from "./command.ts";
import { SOMETHING_RUNS } from "./conversation.ts";
import { warmUp } from "./kernel-facts.ts";

const modes = sandboxSettings;

export async function sandbox(call: OpenCall): Promise<void> {
  const { argument, session, conversation } = call;
  const mode = modes.find((each) => each === argument);
  if (argument === "") return show(call);
  if (mode === undefined) return warn(call, `Usage: /sandbox [${modes.join(" | ")}]`);
  if (mode === modeOf(session)) return inform(call, `The sandbox is already ${mode}.`);
  if (conversation.isRunning) return warn(call, SOMETHING_RUNS);
  await conversation.alone("switching the sandbox", false, () => switchTo(mode, call));
}

function show(call: OpenCall): void {
  const { sandbox: present } = call.session.services;
  const rows: TableRow[] = [
    ["state", modeOf(call.session)],
    ["means", present?.description ?? "programs can do anything you can"],
    ...(present === undefined ? [] : [["provided by", present.backendName] as const]),
  ];
  const text = `To switch: /sandbox <${modes.join(" | ")}>. Python and the shells restart.`;
  answer(call, "Sandbox", rows, text);
}

/** Throws SandboxError where there can be none; the session then continues as it was. */
async function switchTo(mode: SandboxSetting, call: OpenCall): Promise<void> {
  const { session, conversation } = call;
  const { store } = conversation;
  const left = await session.switchSandbox(mode);
  const means = session.services.sandbox?.description ?? "programs may do what the user may";
  const lost = lostBy(session);
  const notice = `The user has switched the sandbox to ${mode}: ${means}.${lost}`;
  session.add(userMessage(`[${notice}]`, { kind: "announcement", notice }));
  store.dispatch({
    type: "facts",
    facts: {
      sandbox: session.services.sandbox?.mode,
      backgroundShells: 0,
      kernel: { state: "none", since: Date.now(), interpreter: undefined, cells: 0 },
    },
  });
  for (const line of left) warn(call, line);
  inform(call, `Sandbox ${mode}: ${means}.${lost}`);
  void warmUp(session, { store, isCurrent: () => conversation.session === session });
}

function lostBy({ toolNames }: AgentSession): string {
  const lost = [
    ...(toolNames.includes("python") ? ["Python variables"] : []),
    ...(toolNames.includes("bash") ? ["shell state"] : []),
  ];
  return lost.length === 0 ? "" : ` Lost in the restart: ${lost.join(", ")}.`;
}

function modeOf({ services }: AgentSession): SandboxSetting {
  return services.sandbox?.mode ?? "off";
}
