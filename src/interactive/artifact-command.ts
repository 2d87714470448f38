/** `/artifacts`: lists the full outputs on disk, and opens one in the pager. */

import { closeSync, openSync, readdirSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { formatAge } from "../format/durations.ts";
import { formatSize } from "../format/numbers.ts";
import { systemCode } from "../protocol/index.ts";
import type { CallItem } from "../ui/store/state.ts";
import { plainText } from "../ui/text/lines.ts";
import { inform, type OpenCall, warn } from "./command.ts";

/** The extension of an artifact's file. */
const LOG = ".log";
/** As much as one line shows. */
const FIRST_BYTES = 200;
/** More than anyone looks through. */
const MAX_LISTED = 200;

export async function artifacts(call: OpenCall): Promise<void> {
  const { session, argument, host } = call;
  if (argument !== "") {
    const id = argument.replace(/^artifact:\/\//, "");
    const path = session.services.artifacts().find(id);
    if (path === undefined) warn(call, `There is no artifact ${id}; /artifacts lists them.`);
    else await host.screen.showPager({ path, title: `artifact://${id}` });
    return;
  }
  const choices = newest(session.services.workspace.paths.artifacts).map(
    ({ id, path, bytes, changedAt }) => ({
      label: `artifact://${id}`,
      description: [
        formatSize(bytes),
        formatAge(Date.now() - changedAt),
        madeBy(call, id) ?? firstLineOf(path),
      ]
        .filter(Boolean)
        .join(", "),
      value: { path, title: `artifact://${id}` },
    }),
  );
  if (choices.length === 0) {
    inform(call, "There are no full outputs yet.");
    return;
  }
  const picked = await call.conversation.pickers.pick({ title: "Full outputs, newest first", choices });
  if (picked) await host.screen.showPager(picked);
}

function newest(directory: string): { id: string; path: string; bytes: number; changedAt: number }[] {
  return namesIn(directory)
    .filter((name) => name.endsWith(LOG))
    .flatMap((name) => {
      const path = join(directory, name);
      const found = statSync(path, { throwIfNoEntry: false });
      const id = name.slice(0, -LOG.length);
      return found ? [{ id, path, bytes: found.size, changedAt: found.mtimeMs }] : [];
    })
    .sort((a, b) => b.changedAt - a.changedAt)
    .slice(0, MAX_LISTED);
}

/** The call of this session that printed it. */
function madeBy({ conversation }: OpenCall, id: string): string | undefined {
  const call = conversation.store
    .get()
    .finished.findLast(
      (item): item is CallItem => item.kind === "call" && item.result?.details.artifact === id,
    );
  if (call === undefined) return undefined;
  const { command, cells } = (call.input ?? {}) as { command?: unknown; cells?: { code?: unknown }[] };
  const code = typeof command === "string" ? command : cells?.[0]?.code;
  return typeof code === "string" ? `${call.name}: ${code.trim().split("\n")[0]}` : call.name;
}

/** For an artifact of another session, whose call is not known. */
function firstLineOf(path: string): string {
  const bytes = Buffer.alloc(FIRST_BYTES);
  try {
    const file = openSync(path, "r");
    try {
      const text = plainText(bytes.toString("utf8", 0, readSync(file, bytes)));
      return text.trim().split("\n")[0] ?? "";
    } finally {
      closeSync(file);
    }
  } catch (error) {
    // It has been removed since.
    if (systemCode(error) === undefined) throw error;
    return "";
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw error;
  }
}
