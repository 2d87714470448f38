/** Types of test-limits.mjs, which Node runs before there is a compiler. */

export const TEST_LIMIT_MS: number;
export const WAIT_LIMIT_MS: number;
export function loadFactor(
  env: Readonly<Record<string, string | undefined>>,
  machine: { readonly load: number; readonly cores: number; readonly workers: number },
): number;
export function parseLoadFactor(text: string): number;
