/** Has a kernel write its variables into a file: itself where it sees it, else piece by piece through its messages. */

import { closeSync, openSync, writeSync } from "node:fs";
import type { Kernel } from "../kernel.ts";
import { isKeptIndex, type KeptIndex } from "./kept-index.ts";
import { CallFailed, callKernel } from "./kernel-calls.ts";

const MIME = "application/x-omp-kept";
/** Large enough to be quick, and small enough for the messages of every gateway. */
const PIECE_BYTES = 2 << 20;

export interface KeepOptions {
  /** An empty file of ours. */
  readonly path: string;
  /** Whether the kernel can open it. */
  readonly isVisible: boolean;
  readonly valueBytes: number;
  readonly totalBytes: number;
  readonly seconds: number;
  /** For an environment that has no cloudpickle. */
  readonly lent: Readonly<Record<string, string>> | undefined;
  readonly signal: AbortSignal;
  readonly onBytes?: ((done: number, all: number) => void) | undefined;
}

/** Throws CallFailed, KernelError, the signal's reason, or a system error. @returns how much of the file is taken, and by what. */
export async function keepVariables(
  kernel: Kernel,
  { path, isVisible, valueBytes, totalBytes, seconds, lent, signal, onBytes }: KeepOptions,
): Promise<{ readonly index: KeptIndex; readonly bytes: number }> {
  const request = { path: isVisible ? path : null, valueBytes, totalBytes, seconds, lent: lent ?? null };
  const {
    path: written,
    bytes,
    index,
  } = await callKernel(kernel, ["keep", "save", MIME], request, { signal });
  if (!isKeptIndex(index) || typeof written !== "string" || typeof bytes !== "number")
    throw new CallFailed("the kernel's answer is not what was asked for");
  try {
    if (!isVisible) await fetchFile(kernel, { from: written, to: path, bytes, signal, onBytes });
  } finally {
    if (!isVisible)
      await callKernel(kernel, ["keep", "discard", MIME], { path: written }).catch(ignoreFailure);
  }
  return { index, bytes };
}

interface Fetch extends Pick<KeepOptions, "signal" | "onBytes"> {
  readonly from: string;
  readonly to: string;
  readonly bytes: number;
}

async function fetchFile(kernel: Kernel, { from, to, bytes, signal, onBytes }: Fetch): Promise<void> {
  const file = openSync(to, "r+");
  try {
    for (let at = 0; at < bytes; ) {
      signal.throwIfAborted();
      const request = { path: from, at, size: PIECE_BYTES };
      const { base64 } = await callKernel(kernel, ["keep", "read", MIME], request, { signal });
      const piece = Buffer.from(typeof base64 === "string" ? base64 : "", "base64");
      if (piece.length === 0) throw new CallFailed("the kernel's file ended too soon");
      for (let done = 0; done < piece.length; )
        done += writeSync(file, piece, done, piece.length - done, at + done);
      at += piece.length;
      onBytes?.(at, bytes);
    }
  } finally {
    closeSync(file);
  }
}

function ignoreFailure(): void {
  // Only the kernel's own temporary file is left then, and the kernel is about to end.
}
