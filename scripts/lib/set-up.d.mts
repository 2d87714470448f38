/** Types of set-up.mjs, which Node runs before there is a compiler. */

export function setUp(options: {
  readonly checkout: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly needs: readonly ("python" | "bundle" | "tests")[];
}): Promise<{ bun: string }>;
