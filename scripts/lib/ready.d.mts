/** Types of ready.mjs, which Node runs before there is a compiler. */

export interface PythonState {
  readonly status: "ready" | "failed";
  /** What to say at every start while it failed. */
  readonly advice: string;
  readonly at: number;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | null>>;
  readonly files: Readonly<Record<string, number | null>>;
}

export const retryAfterMs: number;
export function bundleIsFresh(checkout: string): boolean;
export function newestSource(checkout: string): number;
export function dateOf(file: string): number | null;
export function knownPythonState(
  checkout: string,
  place: { env: Readonly<Record<string, string | undefined>>; cwd: string; now: number },
): PythonState | undefined;
