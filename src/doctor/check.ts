/** One line of `omp doctor`. */

/** `fail` is only for what keeps the python tool from working: any makes the exit code 1. */
export type CheckStatus = "ok" | "warn" | "fail";

export interface Check {
  readonly name: string;
  readonly status: CheckStatus;
  readonly value: string;
  /** A command to run, or what to change. */
  readonly fix?: string;
  /** More lines for people. */
  readonly notes?: readonly string[];
  /** The same for scripts. Names of variables may be in it; their values never. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export function list(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.join(", ");
}
