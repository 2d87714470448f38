/** Types of bun-test.mjs, which Node runs before there is a compiler. */

export function runBunTest(options: {
  readonly flags?: readonly string[];
  readonly patterns: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly onError?: ((text: string) => void) | undefined;
}): Promise<{ exitCode: number; signal: string | null }>;
