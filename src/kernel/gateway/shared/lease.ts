/** What a user of the shared gateway is given, and gives back. */

export interface GatewayLease {
  /** `http://127.0.0.1:<port>`, no path, no slash at its end. */
  readonly url: string;
  /** For the header `Authorization: token …` only. */
  readonly token: string;
  /** The gateway's process. */
  readonly pid: number;
  /**
   * The kernels of this omp, all of them, whenever they change. They are never taken away while this omp lives (even stopped by
   * Ctrl+Z), and end at once when it is killed. A kernel that nobody names ends when it had no websocket for ten times the grace period.
   */
  ownKernels(ids: readonly string[]): void;
  /** Whether it still does its work. Takes a while to say no of one that may only be busy; one that is stopped is continued. */
  isHealthy(): Promise<boolean>;
  /** Continues its process, should somebody have stopped that. */
  wake(): void;
  /** This omp needs the gateway no more. Ends nothing by itself: the gateway goes when nobody has used it for a while. */
  release(): void;
}

export interface SharedGatewayOptions {
  /** `~/.omp/agent/python-gateway`. */
  readonly directory: string;
  /** The interpreter that runs the gateway and its kernels. */
  readonly python: string;
  /**
   * The filtered environment that every kernel of the gateway starts with. It is that of whoever came first, so what belongs to one
   * project only is set inside its kernels by their start-up code.
   */
  readonly env: Readonly<Record<string, string>>;
  /** How long a gateway may take until it answers. */
  readonly startTimeoutMs: number;
  /** How long the gateway stays when nobody uses it; 60 s. */
  readonly graceMs?: number | undefined;
  /** How long who holds the lock may be without a sign of life; 15 s. */
  readonly lockSilenceMs?: number | undefined;
}
