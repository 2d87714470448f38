/** `/resume`, `/fork`, `/export`. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { formatAge } from "../format/durations.ts";
import { formatSize } from "../format/numbers.ts";
import { inform, type OpenCall, warn } from "./command.ts";

const SHORT_ID = 8;
const NOT_KEPT = "This session is not kept (--no-session).";
const NOTHING_YET = "Nothing has been said in this session yet.";

/** `/resume`, and `/resume <id or its beginning>`. */
export async function resume(call: OpenCall): Promise<void> {
  const id = call.argument === "" ? await pickSession(call) : await findSession(call, call.argument);
  if (id === undefined) return;
  await call.conversation.alone("opening the session", false, async () => await call.host.resume(id));
}

async function findSession(call: OpenCall, reference: string): Promise<string | undefined> {
  const { SessionStore } = await import("../history/store.ts");
  const { id } = new SessionStore(call.session.services.workspace.paths.sessions).find(reference);
  if (id !== call.session.sessionId) return id;
  inform(call, "That is this session.");
  return undefined;
}

/** Those of this directory first. */
async function pickSession(call: OpenCall): Promise<string | undefined> {
  const { SessionStore } = await import("../history/store.ts");
  const { paths, cwd: current } = call.session.services.workspace;
  const others = new SessionStore(paths.sessions).list().filter(({ id }) => id !== call.session.sessionId);
  const here = others.filter(({ cwd }) => cwd === current);
  const elsewhere = others.filter(({ cwd }) => cwd !== current);
  if (others.length === 0) {
    inform(call, "There are no other sessions yet.");
    return undefined;
  }
  const choices = [...here, ...elsewhere].map(({ id, title, changedAt, bytes, cwd }) => ({
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

export function fork(call: OpenCall): void {
  const { session } = call;
  if (session.sessionId === undefined) {
    warn(call, NOT_KEPT);
    return;
  }
  const before = session.fork();
  if (before === undefined) warn(call, NOTHING_YET);
  else inform(call, `This is now ${session.sessionId}, a copy. The session until here is kept as ${before}.`);
}

/** `/export [file]`: HTML for .html, Markdown for everything else. */
export async function exportSession(call: OpenCall): Promise<void> {
  const { session, invocation } = call;
  const { sessionId } = session;
  if (sessionId === undefined) {
    warn(call, NOT_KEPT);
    return;
  }
  if (session.agent.history.length === 0) {
    warn(call, NOTHING_YET);
    return;
  }
  const name = call.argument || `omp-${sessionId.slice(0, SHORT_ID)}.md`;
  const file = resolve(invocation.cwd, name.replace(/^~(?=\/)/, session.services.workspace.paths.userHome));
  if (existsSync(file) && !(await mayOverwrite(call, file))) return;
  const { SessionStore } = await import("../history/store.ts");
  const { exportText, writeExport } = await import("../app/export-session.ts");
  const { path } = new SessionStore(session.services.workspace.paths.sessions).find(sessionId);
  writeExport(file, await exportText(path, { file }), "export");
  inform(call, `Exported to ${file}`);
}

async function mayOverwrite({ conversation }: OpenCall, file: string): Promise<boolean> {
  const choices = [
    { label: "keep it", description: "write nothing", value: false },
    { label: "overwrite it", description: file, value: true },
  ];
  return (await conversation.pickers.pick({ title: "The file exists already", choices })) ?? false;
}
