/** Types of tally.mjs, which Node runs before there is a compiler. */

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly problems: readonly string[];
}

export function tallyTests(file: string, end: { exitCode: number; signal: string | null }): Tally;
