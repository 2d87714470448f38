/** What a session's kernel over time is made with. */

import type { KernelActivity, KernelHost } from "../kernel.ts";
import type { CheckpointLimits } from "./checkpoints.ts";

export interface SessionOptions {
  readonly host: KernelHost;
  readonly cwd: string;
  /** Why an earlier kernel of this session is gone, when that has not been reported yet. */
  readonly lostBefore: string | undefined;
  /** Whether a kernel that died gets a successor; one that serves a single call needs none. */
  readonly isReplaced: boolean;
  /** An existing kernel: after its end only its owner starts another. */
  readonly isBorrowed: boolean;
  readonly checkpoints: CheckpointLimits;
  /** Makes room on the machine; returns how many kernels were given back. */
  readonly onExhausted: () => Promise<number>;
  /** Called at every change. */
  readonly onActivity?: ((activity: KernelActivity) => void) | undefined;
}
