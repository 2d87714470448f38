/** `/artifacts`: lists the full outputs on disk, and opens one in the pager. */

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { formatAge } from "../format/durations.ts";
import { formatSize } from "../format/numbers.ts";
import { ignoreSystemError } from "../protocol/index.ts";
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
  const { session, argument, screen } = call;
  if (argument !== "") {
    const id = argument.replace(/^artifact:\/\//, "");
    const path = session.services.artifacts().find(id);
    if (path === undefined) warn(call, `No artifact ${id}. See /artifacts for the list.`);
    else await screen.showPager({ path, title: `artifact://${id}` });
    return;
  }
  const listed = newestArtifacts(session.services.workspace.paths.artifacts);
  const choices = await Promise.all(
    listed.map(async ({ id, path, bytes, changedAt }) => {
      const what = callThatPrinted(call, id) ?? (await firstLineOf(path));
      const facts = [formatSize(bytes), formatAge(Date.now() - changedAt), what];
      const title = `artifact://${id}`;
      return { label: title, description: facts.filter(Boolean).join(", "), value: { path, title } };
    }),
  );
  if (choices.length === 0) return inform(call, "No saved output yet.");
  const picked = await call.conversation.pickers.pick({ title: "Saved output, newest first", choices });
  if (picked) await screen.showPager(picked);
}

function newestArtifacts(directory: string) {
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return names
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

/** Undefined for an artifact of another session. */
function callThatPrinted({ conversation }: OpenCall, id: string): string | undefined {
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

async function firstLineOf(path: string): Promise<string> {
  // It may have been removed since.
  const text = await Bun.file(path).slice(0, FIRST_BYTES).text().catch(ignoreSystemError);
  return (
    plainText(text ?? "")
      .trim()
      .split("\n")[0] ?? ""
  );
}
