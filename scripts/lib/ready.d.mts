/** Types of ready.mjs, which Node runs before there is a compiler. */

export interface PythonState {
  readonly status: "ready" | "failed";
  /** Shown at every start after a failure. */
  readonly advice: string;
  readonly at: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | null>>;
  readonly files: Readonly<Record<string, number | null>>;
}

export const RETRY_AFTER_MS: number;
export function bundleIsFresh(checkout: string): boolean;
export function newestSource(checkout: string): number;
export function dateOf(file: string): number | null;
export function knownPythonState(
  checkout: string,
  current: { env: Readonly<Record<string, string | undefined>>; cwd: string; now: number },
): PythonState | undefined;
