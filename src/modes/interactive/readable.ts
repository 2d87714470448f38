/** What Alt+O opens in the pager: a call that waits for an answer, as it would run, or else the newest full output. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemCode } from "../../protocol/index.ts";
import { callText } from "../../session/call-text.ts";
import type { Readable } from "../../ui/actions.ts";
import type { CallItem, Item, UiState } from "../../ui/store/state.ts";

export function newestReadable(
  { question, live, finished }: Pick<UiState, "question" | "live" | "finished">,
  findArtifact: (id: string) => string | undefined,
): Readable | undefined {
  const asked = question === undefined ? undefined : live.find(isAsked);
  if (asked !== undefined) return waiting(asked);
  const call = finished.findLast((item) => isCall(item) && item.result?.details.artifact !== undefined);
  const id = call !== undefined && isCall(call) ? call.result?.details.artifact : undefined;
  const path = id === undefined ? undefined : findArtifact(id);
  return path === undefined ? undefined : { path, title: `artifact://${id}`, close: () => undefined };
}

function isCall(item: Item): item is CallItem {
  return item.kind === "call";
}

function isAsked(item: Item): item is CallItem {
  return isCall(item) && item.isAsked;
}

/** Nobody allows what cannot be read: of a long cell the screen has the beginning or the end. */
function waiting({ name, input }: CallItem): Readable | undefined {
  let directory: string | undefined;
  const close = () => {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  };
  try {
    directory = mkdtempSync(join(tmpdir(), "omp-call-"));
    const path = join(directory, "call.txt");
    writeFileSync(path, `${callText(input).text}\n`, { mode: 0o600 });
    return { path, title: `${name}, which waits for your answer`, close };
  } catch (error) {
    close();
    // A disk that is full: then there is nothing to open.
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}
