/** Types of lock.mjs, which Node runs before there is a compiler. */

export function whileLocked(directory: string, work: () => Promise<void>): Promise<void>;
