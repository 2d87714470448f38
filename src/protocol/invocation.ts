/** Where omp was started: what everything else is worked out from. */
export interface Invocation {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** `--trust`: the project is trusted for this run. */
  readonly isTrusted?: boolean | undefined;
}
