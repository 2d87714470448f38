/** Commands that only tell: what there is, where it is, what it cost. */

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../protocol/index.ts";
import { answer, type CommandCall, type OpenCall, rows, type TableRow } from "./command.ts";

/** Enough to find what was just made. */
const NEWEST = 15;
/** How the files of artifacts end. */
const LOG = ".log";

export function tools(call: OpenCall): void {
  const { toolNames, services } = call.session;
  const list = toolNames.map((name): TableRow => {
    const [first = ""] = (services.tools.get(name)?.description ?? "").trim().split("\n");
    return [name, first];
  });
  answer(call, "Tools", rows(list));
}

export function kernel(call: CommandCall): void {
  const { state, interpreter } = call.talk.store.get().facts.kernel;
  const list: TableRow[] = [
    ["state", state],
    ["interpreter", interpreter ?? "not looked at yet"],
  ];
  answer(call, "Python kernel", rows(list));
}

export function shells(call: OpenCall): void {
  const list = call.session.services
    .backgroundShells()
    .map(({ id, status, command }): TableRow => [id, `${status}  ${command.split("\n")[0]}`]);
  answer(call, "Background shells", rows(list));
}

export function artifacts(call: OpenCall): void {
  const directory = call.session.services.paths.artifacts;
  const newest = namesIn(directory)
    .filter((name) => name.endsWith(LOG))
    .map((name) => {
      const { size, mtime } = statSync(join(directory, name));
      return { name, size, mtime };
    })
    .sort((a, b) => b.mtime.getTime() - a.mtime.getTime())
    .slice(0, NEWEST);
  const list = newest.map(
    ({ name, size, mtime }): TableRow => [
      `artifact://${name.slice(0, -LOG.length)}`,
      `${size} bytes, ${mtime.toLocaleTimeString()}`,
    ],
  );
  answer(call, `Full outputs, in ${directory}`, rows(list, "none yet"));
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}

export async function sessions(call: OpenCall): Promise<void> {
  const { SessionStore } = await import("../../session/store.ts");
  const { paths, context } = call.session.services;
  const here = new SessionStore(paths.sessions).list().filter(({ cwd }) => cwd === context.cwd);
  const list = here.slice(-NEWEST).map(({ id, title, changedAt }): TableRow => {
    return [id.slice(0, 8), `${changedAt.slice(0, 16).replace("T", " ")}  ${title}`];
  });
  answer(call, "Sessions of this directory; go on with: omp --resume <id>", rows(list));
}

export function fork(call: OpenCall): void {
  const { sessionId } = call.session;
  answer(call, "A copy to go on with", sessionId ? `  omp --fork ${sessionId}` : NOT_KEPT);
}

export function exported(call: OpenCall): void {
  const { sessionId } = call.session;
  answer(
    call,
    "This session as a file",
    sessionId ? `  omp sessions export ${sessionId} -o session.md` : NOT_KEPT,
  );
}

const NOT_KEPT = "  This session is not kept (--no-session).";

export function cost(call: CommandCall): void {
  const { costUsd, usedTokens, contextTokens, model } = call.talk.store.get().facts;
  const list: TableRow[] = [
    ["model", model ?? "none"],
    ["context", `${usedTokens} of ${contextTokens} tokens`],
    ["cost", costUsd === undefined ? "the price is not known" : `$${costUsd.toFixed(4)}`],
  ];
  answer(call, "Cost", rows(list));
}

export function settings(call: OpenCall): void {
  const { settingsFile } = call.session.services.paths;
  const how = "See and change them with: omp config list, omp config set <key> <value>";
  answer(call, `Settings: ${settingsFile}`, how);
}
