/** Types of dependencies.mjs, which Node runs before there is a compiler. */

export function dependenciesAreCurrent(checkout: string, options: { readonly tests: boolean }): boolean;
export function installDependencies(
  checkout: string,
  options: {
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly tests: boolean;
    /** A directory that is removed afterwards. */
    readonly scratch: string;
    readonly onChild?: (pid: number) => void;
  },
): Promise<void>;
