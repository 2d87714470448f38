/** `/resume`, `/fork`, `/export`. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { AgentSession } from "../app/agent-session.ts";
import { formatAge } from "../format/durations.ts";
import { formatSize } from "../format/numbers.ts";
import type { SessionSummary } from "../history/summary.ts";
import { inform, type OpenCall, warn } from "./command.ts";

const SHORT_ID = 8;
const NOT_KEPT = "This session is not saved (--no-session).";
const NOTHING_YET = "This session is still empty.";

/** `/resume`, and `/resume <id or its beginning>`. */
export async function resume(call: OpenCall): Promise<void> {
  const { session, argument, conversation } = call;
  const store = await sessionStore(session);
  const id = argument === "" ? await pickSession(call, store.list()) : store.find(argument).id;
  if (id === undefined) return;
  if (id === session.sessionId) return inform(call, "You are already in that session.");
  await conversation.alone("opening the session", false, () => call.replace(id));
}

/** `/new` and `/clear`. */
export async function startAnew(call: OpenCall): Promise<void> {
  await call.conversation.alone("opening a new session", false, () => call.replace());
}

async function sessionStore({ services }: AgentSession) {
  const { SessionStore } = await import("../history/store.ts");
  return new SessionStore(services.workspace.paths);
}

/** Those of this directory first. */
async function pickSession(call: OpenCall, all: readonly SessionSummary[]): Promise<string | undefined> {
  const current = call.session.services.workspace.cwd;
  const others = all.filter(({ id }) => id !== call.session.sessionId);
  if (others.length === 0) {
    inform(call, "No other sessions yet.");
    return undefined;
  }
  const rank = ({ cwd }: SessionSummary) => (cwd === current ? 0 : 1);
  const sorted = others.toSorted((a, b) => rank(a) - rank(b));
  const choices = sorted.map(({ id, title, changedAt, bytes, cwd }) => ({
    label: title || "(no prompt)",
    description: [
      formatAge(Date.now() - Date.parse(changedAt)),
      formatSize(bytes),
      id.slice(0, SHORT_ID),
      ...(cwd === current ? [] : [`in ${cwd}`]),
    ].join(", "),
    value: id,
  }));
  return await call.conversation.pickers.pick({ title: "Sessions, newest first", choices });
}

export async function fork(call: OpenCall): Promise<void> {
  const { session } = call;
  if (session.sessionId === undefined) return warn(call, NOT_KEPT);
  const before = session.fork();
  if (before === undefined) warn(call, NOTHING_YET);
  else inform(call, `Forked to ${session.sessionId}; the original is ${before}.`);
}

/** `/export [file]`: HTML for .html, Markdown for everything else. */
export async function exportSession(call: OpenCall): Promise<void> {
  const { session, invocation } = call;
  const { sessionId } = session;
  if (sessionId === undefined) return warn(call, NOT_KEPT);
  if (session.agent.history.length === 0) return warn(call, NOTHING_YET);
  const name = call.argument || `omp-${sessionId.slice(0, SHORT_ID)}.md`;
  const file = resolve(invocation.cwd, name.replace(/^~(?=\/)/, session.services.workspace.paths.userHome));
  if (existsSync(file) && !(await mayOverwrite(call, file))) return;
  const { exportText, writeExport } = await import("../app/export-session.ts");
  const { path } = (await sessionStore(session)).find(sessionId);
  writeExport(file, await exportText(path, { file }), "export");
  inform(call, `Exported to ${file}`);
}

async function mayOverwrite({ conversation }: OpenCall, file: string): Promise<boolean> {
  const choices = [
    { label: "keep it", description: "write nothing", value: false },
    { label: "overwrite it", description: file, value: true },
  ];
  return (await conversation.pickers.pick({ title: "File already exists", choices })) ?? false;
}
