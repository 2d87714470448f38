/**
 * What Alt+O opens: the code of a call that waits for approval, the output of a running call, or the newest full output or picture. Texts
 * are for the pager, pictures for the system's viewer.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Services } from "../app/services.ts";
import { callText } from "../history/call-text.ts";
import { systemCode } from "../protocol/index.ts";
import { asRecord } from "../protocol/record.ts";
import { listIn, textIn } from "../ui/renderers/renderer.ts";
import type { Readable } from "../ui/store/actions.ts";
import type { CallItem, Item, UiState } from "../ui/store/state.ts";
import { sourceText } from "../ui/text/source-text.ts";
import { viewPicture } from "./view-picture.ts";

export function newestReadable(
  { question, live, finished }: Pick<UiState, "question" | "live" | "finished">,
  services: Services | undefined,
): Readable | undefined {
  const calls = live.filter(isCall);
  const asked = question === undefined ? undefined : calls.find(({ isAsked }) => isAsked);
  if (asked !== undefined) return waiting(asked);
  if (services === undefined) return undefined;
  const artifacts = services.artifacts();
  const running = calls.findLast(({ isAsked, result }) => !isAsked && result === undefined);
  const growing = running && artifacts.newestOpen(running.startedAt);
  const kept = growing === undefined ? (newestKept(live) ?? newestKept(finished)) : { id: growing };
  const path = kept && artifacts.find(kept.id);
  if (path === undefined) return undefined;
  const output = {
    path,
    title: `artifact://${kept?.id}`,
    isGrowing: growing !== undefined,
    close: () => undefined,
  };
  if (kept?.mediaType === undefined) return output;
  const { mediaType } = kept;
  return { ...output, view: () => viewPicture(path, mediaType, services.workspace) };
}

interface Kept {
  readonly id: string;
  /** Of a picture. */
  readonly mediaType?: string;
}

function newestKept(items: readonly Item[]): Kept | undefined {
  return items
    .filter(isCall)
    .map(keptOf)
    .findLast((kept) => kept !== undefined);
}

/** All of a text that was cut comes before the pictures, which can be seen in part. */
function keptOf({ result }: CallItem): Kept | undefined {
  if (result?.details.artifact !== undefined) return { id: result.details.artifact };
  const displays = listIn(result?.details, "cells").flatMap((cell) => listIn(cell, "displays"));
  const image = displays
    .map((display) => asRecord(display)["image"])
    .findLast((each) => textIn(each, "artifact"));
  const id = textIn(image, "artifact");
  return id === undefined ? undefined : { id, mediaType: textIn(image, "mediaType") ?? "image/png" };
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
