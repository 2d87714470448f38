/** Types of dependencies.mjs, which Node runs before there is a compiler. */

export function dependenciesAreCurrent(checkout: string, options: { readonly tests: boolean }): boolean;
export function installDependencies(
  checkout: string,
  options: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly tests: boolean;
    readonly onChild?: (pid: number) => void;
  },
): Promise<void>;
