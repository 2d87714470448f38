/** Types of lock.mjs, which Node runs before there is a compiler. */

export function whileLocked(
  directory: string,
  work: (lock: { readonly directory: string; readonly noteChild: (pid: number) => void }) => Promise<void>,
): Promise<void>;
