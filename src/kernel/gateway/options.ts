/** What kernels behind a gateway are made from. */

import type { TraceLine } from "../jupyter/trace.ts";
import type { ExtensionModule } from "../python/extension-modules.ts";

/** A Jupyter Server, Kernel Gateway or Enterprise Gateway, and how to access it. */
export interface GatewayAccess {
  /** The name in the settings, or the host. */
  readonly name: string;
  /** With its base path, such as `https://hub.example.org/user/ada/`. A `?token=` in it counts as the token. */
  readonly url: string;
  /** Travels in the `Authorization` header and nowhere else. */
  readonly token?: string | undefined;
  /** Certificates to trust, as PEM text, in place of the system's. */
  readonly ca?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface GatewayKernelsOptions {
  readonly gateway: GatewayAccess;
  /** A kernelspec's name; without one the gateway's default, or its first Python. */
  readonly kernelSpec?: string | undefined;
  /**
   * For the launcher of the kernel; only `KERNEL_*` is sent. A Kernel Gateway that is sent any gives the kernel nothing else of its
   * own environment but PATH, so leave it empty unless the user set some.
   */
  readonly kernelEnv: Readonly<Record<string, string>>;
  /** Set inside the kernel by the start-up code. */
  readonly env: Readonly<Record<string, string>>;
  readonly startTimeoutMs: number;
  /** Searched again for each kernel; the sources are sent, since the kernel may not see our disk. */
  readonly extensionModules: (cwd: string) => readonly ExtensionModule[];
  /**
   * `shared`: the gateway runs on this machine for this user, and a working directory that is not there is an error.
   * `elsewhere`: it may run anywhere; the kernel starts in its own directory when ours is not there.
   */
  readonly files: "shared" | "elsewhere";
  /** How long reconnecting may take before the kernel counts as dead. */
  readonly reconnectLimitMs?: number | undefined;
  /** How long a connection may be without any sign of life before it counts as broken. */
  readonly silenceMs?: number | undefined;
  /** The directory of the ledger; without it kernels of an omp that is killed are not cleaned up. */
  readonly ledger?: string | undefined;
  /** Resumes a gateway on this machine that is suspended; called whenever it may be. */
  readonly wake?: (() => void) | undefined;
  /** Of a gateway on this machine: whether its process is there. */
  readonly isGatewayRunning?: (() => boolean) | undefined;
  readonly trace?: TraceLine | undefined;
  /** Called with the id of each kernel as soon as the gateway has made it, long before it is ready on a busy machine. */
  readonly onMade?: ((id: string) => void) | undefined;
  /** Called when a kernel was made, and when it is ready. */
  readonly onStage?: ((stage: string) => void) | undefined;
}
