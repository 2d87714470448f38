/** Gives a kernel the variables of another one: names at once, values when a cell first uses them, or all of them. */

import { closeSync, openSync, readSync } from "node:fs";
import { asRecord } from "../../protocol/record.ts";
import type { Answers, Kernel, MessageContent } from "../kernel.ts";
import type { KeptVariables } from "./kept-file.ts";
import { callKernel } from "./kernel-calls.ts";

const MIME = "application/x-omp-restored";
/** What restore.py asks for. */
const ABOUT = "kept";

export interface RestoreOptions {
  readonly kept: KeptVariables;
  /** Whether the kernel can open the file; else it asks for its pieces while its cells run. */
  readonly isVisible: boolean;
  readonly lent: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How far the kernel has read, where it asks for pieces. */
  readonly onBytes?: ((done: number) => void) | undefined;
}

/** Throws CallFailed or KernelError. */
export async function attachVariables(kernel: Kernel, options: RestoreOptions): Promise<void> {
  const { kept, isVisible, lent, signal, onBytes } = options;
  if (!isVisible) servePieces(kernel, kept, onBytes);
  const request = { index: kept.index, path: isVisible ? kept.path : null, lent: lent ?? null };
  await callKernel(kernel, ["restore", "attach", MIME], request, { signal });
}

/** Loads all of them. Throws CallFailed or KernelError. @returns what could not be loaded. */
export async function loadVariables(
  kernel: Kernel,
  signal: AbortSignal,
): Promise<readonly { readonly name: string; readonly why: string }[]> {
  const { failed } = await callKernel(kernel, ["restore", "load_all", MIME], {}, { signal });
  const all: unknown[] = Array.isArray(failed) ? failed : [];
  return all.map(asRecord).map(({ name, why }) => ({ name: String(name), why: String(why) }));
}

/** The file stays open as long as the kernel or a copy of it lives: it may be replaced meanwhile. */
function servePieces(
  kernel: Kernel,
  { path, index }: KeptVariables,
  onBytes: RestoreOptions["onBytes"],
): void {
  const file = openSync(path, "r");
  let asking = 0;
  const onCopy: Answers["onCopy"] = ({ exited }) => {
    asking += 1;
    void exited.then(() => {
      asking -= 1;
      if (asking === 0) closeSync(file);
    });
  };
  onCopy(kernel);
  const end = Math.max(0, ...index.units.map(({ at, sizes }) => sizes.reduce((sum, size) => sum + size, at)));
  let done = 0;
  const answer = async ({ at, size }: MessageContent): Promise<MessageContent> => {
    if (typeof at !== "number" || typeof size !== "number" || at < 0 || size < 0 || at + size > end)
      return {};
    const piece = Buffer.alloc(size);
    const read = readSync(file, piece, 0, size, at);
    done += read;
    onBytes?.(done);
    return { base64: piece.toString("base64", 0, read) };
  };
  kernel.answerAbout(ABOUT, { answer, onCopy });
}
