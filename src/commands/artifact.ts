/** `omp artifact <id>`: the bytes of a full output, as they were written (text and colours to a terminal), or where they are. */

import { createReadStream } from "node:fs";
import type { Writable } from "node:stream";
import type { CommandIo } from "../app/io.ts";
import { ompPaths } from "../config/paths.ts";
import { ArtifactStore } from "../output/artifacts.ts";
import { errorLine, systemCode } from "../protocol/error.ts";
import type { Invocation } from "../protocol/invocation.ts";

export interface ArtifactOptions {
  /** With or without `artifact://`. */
  readonly id: string;
  /** Print the path, not the bytes. */
  readonly path?: boolean | undefined;
  /** Where the bytes go; `io` carries text only. */
  readonly output?: Writable | undefined;
}

/** The exit code: 0, 1 when the file cannot be read or printed, 2 when there is none. */
export async function runArtifact(
  options: ArtifactOptions,
  io: CommandIo,
  { env }: Invocation,
): Promise<number> {
  // Finding one needs no limits: bad settings must not keep users from their output.
  const directory = ompPaths({ env }).artifacts;
  const store = new ArtifactStore({ directory, maxTotalBytes: 0, maxAgeMs: 0 });
  try {
    const path = store.find(options.id);
    if (path === undefined) {
      io.stderr(line(`no artifact '${options.id}'`, "ENOENT"));
      return 2;
    }
    if (options.path === true) io.stdout(`${path}\n`);
    else if (options.output === undefined && process.stdout.isTTY) await printText(path, io);
    else await copyFile(path, options.output ?? process.stdout);
    return 0;
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    // The reader is gone (`| head`).
    if (code === "EPIPE") return 0;
    io.stderr(line(`cannot print '${options.id}'`, code));
    return 1;
  }
}

function line(issue: string, code: string): string {
  return `${errorLine({ operation: "artifact", issue, code })}\n`;
}

/** Each chunk is written after the previous one was taken: a slow reader costs no memory. */
async function copyFile(path: string, output: Writable): Promise<void> {
  for await (const chunk of createReadStream(path))
    await new Promise<void>((resolve, reject) => {
      output.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
}

/** To a terminal, where bytes that are no text could do harm. */
async function printText(path: string, { stdout, room }: CommandIo): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of createReadStream(path)) {
    stdout(decoder.decode(chunk, { stream: true }));
    await room?.();
  }
  stdout(decoder.decode());
}
