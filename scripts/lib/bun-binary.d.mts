/** Types of bun-binary.mjs, which Node runs before there is a compiler. */

export interface Machine {
  readonly platform: string;
  readonly arch: string;
}
export function findBun(checkout: string, machine?: Machine): string | undefined;
export function bunPackages(machine: Machine): string[];
