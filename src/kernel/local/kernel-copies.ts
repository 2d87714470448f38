/** How checkpoints of a kernel on this machine are made, and woken: what the kernel's fork server and its directory have to do with it. */

import { join } from "node:path";
import { readTail } from "../files.ts";
import type { Kernel } from "../kernel.ts";
import type { ForkedKernel, ForkServer } from "./fork-server.ts";
import { type KernelProcess, kernelArguments, type LaunchOptions } from "./kernel-process.ts";
import type { LocalKernel } from "./local-kernel.ts";
import type { ParkedParts } from "./parked-kernel.ts";

/** Two digits at most, so that their paths are no longer than those of the kernel's own sockets. */
const MAX_SOCKET_NAMES = 100;

const NO_FORK_SERVER =
  process.platform === "linux"
    ? "it was not started by a fork server; setting python.forkServer allows that"
    : "a running kernel can be copied only on Linux";
const LONG_NAME = "the name of its directory is too long for a socket; set TMPDIR to a shorter one";

export interface KernelCopies extends Pick<ParkedParts, "adopt"> {
  /** Where copies listen. */
  readonly directory: string;
  /** A name for the next copy's socket that no other has. */
  nextSocket(): string;
  wake(original: LocalKernel, ...how: Parameters<ParkedParts["wake"]>): Promise<Kernel>;
}

interface CopiesParts {
  /** Undefined for a kernel that was started plainly. */
  readonly server: ForkServer | undefined;
  /** The directory that the kernel can write. */
  readonly files: string;
  readonly holdsSockets: boolean;
  /** Every process that is made, while it runs. */
  readonly copied: Set<ForkedKernel>;
  readonly start: (
    launch: (options: LaunchOptions) => Promise<KernelProcess>,
    original: LocalKernel,
    signal: AbortSignal,
  ) => Promise<Kernel>;
}

/** Or why there can be none, as a clause. */
export function kernelCopies({
  server,
  files,
  holdsSockets,
  copied,
  start,
}: CopiesParts): KernelCopies | string {
  if (server === undefined) return NO_FORK_SERVER;
  if (!holdsSockets) return LONG_NAME;
  let made = 0;
  return {
    directory: files,
    nextSocket: () => {
      made += 1;
      return join(files, `c${made % MAX_SOCKET_NAMES}`);
    },
    adopt: (innerPid) => {
      const adopted = server.adopt(innerPid);
      copied.add(adopted);
      void adopted.exited.then(() => copied.delete(adopted));
      return adopted;
    },
    wake: (original, fork, signal) => {
      const launch = async ({ connectionFile, logFile, confinement }: LaunchOptions) => ({
        ...(await fork({ connectionFile, logFile, arguments: kernelArguments })),
        isConfined: confinement !== undefined,
        lastWords: () => readTail(logFile),
      });
      return start(launch, original, signal);
    },
  };
}
