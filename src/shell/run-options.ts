/** How one command is run. */

import type { OutputListener } from "./command-pipes.ts";

export interface RunOptions extends OutputListener {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** For this command only: the shell returns unless the command itself changed directory. Must exist. */
  readonly cwd?: string | undefined;
}
