/** `/agents`: the subagents of this session; opens what one did in the pager, or stops one. */

import { statSync } from "node:fs";
import type { Subagent } from "../app/subagents.ts";
import { formatElapsed } from "../format/durations.ts";
import { readSession } from "../history/read.ts";
import { SessionStore } from "../history/store.ts";
import { inform, type OpenCall, warn } from "./command.ts";

export async function agents(call: OpenCall): Promise<void> {
  const { subagents } = call.session;
  const [verb = "", id = ""] = call.argument.split(/\s+/);
  if (verb === "stop") return stop(call, id);
  const listed = subagents.list();
  if (verb !== "") {
    const found = listed.find((subagent) => subagent.id === verb);
    return found ? await open(call, found) : missing(call, verb);
  }
  if (listed.length === 0) return inform(call, "No subagents yet.");
  const choices = listed.toReversed().map((subagent) => ({
    label: subagent.id,
    description: describe(subagent, call.conversation.askers.includes(subagent.id)),
    value: subagent,
  }));
  const title = "Subagents, newest first; stop one with /agents stop <id>";
  const picked = await call.conversation.pickers.pick({ title, choices });
  if (picked) await open(call, picked);
}

const STATUS_WORDS: Readonly<Record<Subagent["status"], string>> = {
  running: "running",
  done: "done",
  failed: "failed",
  interrupted: "interrupted",
  turn_limit: "ran out of turns",
  repeated_call: "stuck in a loop",
};

function describe(subagent: Subagent, isAsking: boolean): string {
  const { status, startedAt, endedAt = Date.now(), doing, prompt, isBackground } = subagent;
  // The newest line of one that failed says why.
  const what = ["running", "failed"].includes(status) && doing !== "" ? doing : prompt;
  const [first = ""] = what.trim().split("\n");
  const where = isBackground && status === "running" ? " in the background" : "";
  const how = isAsking ? "waits for your answer" : `${STATUS_WORDS[status]}${where}`;
  return `${how}, ${formatElapsed(endedAt - startedAt)}: ${first}`;
}

/** One that still runs is followed. */
async function open(call: OpenCall, { id, sessionId, status }: Subagent): Promise<void> {
  if (sessionId === undefined) return inform(call, `${id} has no log.`);
  const { path } = new SessionStore(call.session.services.workspace.paths).find(sessionId);
  const { markdownOf } = await import("../history/export-markdown.ts");
  const { subagents } = call.session;
  const isRunning = () => subagents.list().some((each) => each.id === id && each.status === "running");
  let known = { size: -1, text: "" };
  /** Made again only when the log has grown: it is asked for a few times a second. */
  const text = () => {
    const { size } = statSync(path);
    if (size !== known.size)
      known = { size, text: markdownOf(readSession(path), { isRunning: isRunning() }) };
    return known.text;
  };
  await call.screen.showPager({ text, title: id, isGrowing: status === "running" });
}

function stop(call: OpenCall, id: string): void {
  const wasRunning = call.session.subagents.stop(id);
  if (id === "") warn(call, "Usage: /agents stop <id>. See /agents for the list.");
  else if (wasRunning === undefined) missing(call, id);
  else if (!wasRunning) inform(call, `${id} had already ended.`);
}

function missing(call: OpenCall, id: string): void {
  warn(call, `No subagent ${id}. See /agents for the list.`);
}
