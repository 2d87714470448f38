/** Types of failures.mjs, which Node runs before there is a compiler. */

export function createFailures(): {
  readonly add: (text: string) => void;
  readonly reports: readonly string[];
};
