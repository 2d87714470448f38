/** Types of bun-binary.mjs, which Node runs before there is a compiler. */

export function bunIsThere(checkout: string): boolean;
export function installBun(checkout: string): void;
