/** What Alt+O opens in the pager: the code of a call that waits for approval, the output of a running call, or the newest full output. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Services } from "../app/services.ts";
import { callText } from "../history/call-text.ts";
import { systemCode } from "../protocol/index.ts";
import type { Readable } from "../ui/store/actions.ts";
import type { CallItem, Item, UiState } from "../ui/store/state.ts";
import { sourceText } from "../ui/text/source-text.ts";

export function newestReadable(
  { question, live, finished }: Pick<UiState, "question" | "live" | "finished">,
  artifacts: ReturnType<Services["artifacts"]> | undefined,
): Readable | undefined {
  const calls = live.filter(isCall);
  const asked = question === undefined ? undefined : calls.find(({ isAsked }) => isAsked);
  if (asked !== undefined) return waiting(asked);
  const running = calls.findLast(({ isAsked, result }) => !isAsked && result === undefined);
  const growing = running && artifacts?.newestOpen(running.startedAt);
  const id = growing ?? newestArtifact(live) ?? newestArtifact(finished);
  const path = id === undefined ? undefined : artifacts?.find(id);
  if (path === undefined) return undefined;
  return { path, title: `artifact://${id}`, isGrowing: growing !== undefined, close: () => undefined };
}

function newestArtifact(items: readonly Item[]): string | undefined {
  return items
    .filter(isCall)
    .map(({ result }) => result?.details.artifact)
    .findLast((id) => id !== undefined);
}

function isCall(item: Item): item is CallItem {
  return item.kind === "call";
}

/** A user should not allow what cannot be read: the screen shows only the beginning or the end of a long cell. */
function waiting({ name, input }: CallItem): Readable | undefined {
  let directory: string | undefined;
  const close = () => {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  };
  try {
    directory = mkdtempSync(join(tmpdir(), "omp-call-"));
    const path = join(directory, "call.txt");
    writeFileSync(path, `${sourceText(callText(input).text)}\n`, { mode: 0o600 });
    return { path, title: `${name}, waiting for your answer`, close };
  } catch (error) {
    close();
    // A full disk, for example: then there is nothing to open.
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}
