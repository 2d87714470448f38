/** `omp -r` without an id, at a terminal: lists the sessions of this directory and asks for a number. */

import { createInterface } from "node:readline/promises";
import type { CommandIo } from "../app/io.ts";
import type { SessionChoice } from "../app/session-choice.ts";
import { ompPaths } from "../config/paths.ts";
import { SessionStore } from "../history/store.ts";
import type { Invocation } from "../protocol/invocation.ts";

const SHOWN = 20;

/** Undefined when the user picks none. A new session when there is nothing to pick from. */
export async function pickSession(
  io: CommandIo,
  { env, cwd }: Invocation,
): Promise<SessionChoice | undefined> {
  const all = new SessionStore(ompPaths({ env })).list();
  const here = all.filter((session) => session.cwd === cwd);
  const offered = (here.length > 0 ? here : all).slice(0, SHOWN);
  if (offered.length === 0) {
    io.stdout("No sessions yet; started a new one.\n");
    return { kind: "new" };
  }
  for (const [index, { changedAt, title, cwd: startedIn }] of offered.entries()) {
    const when = changedAt.slice(0, 16).replace("T", " ");
    const where = startedIn === cwd ? "" : `  in ${startedIn}`;
    io.stdout(`${String(index + 1).padStart(3)}  ${when}  ${title || "(no prompt)"}${where}\n`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const ended = new Promise<undefined>((resolve) => terminal.once("close", () => resolve(undefined)));
  try {
    while (true) {
      const typed = await Promise.race([terminal.question(`Which one? 1-${offered.length} [1] `), ended]);
      if (typed === undefined) return undefined;
      const picked = offered[Number(typed.trim() || "1") - 1];
      if (picked !== undefined) return { kind: "resume", id: picked.id };
    }
  } finally {
    terminal.close();
  }
}
