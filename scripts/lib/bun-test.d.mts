/** Types of bun-test.mjs, which Node runs before there is a compiler. */

export function runBunTest(options: {
  readonly flags?: readonly string[];
  readonly patterns: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}): Promise<{ exitCode: number; signal: string | null }>;
