/** Types of dependencies.mjs, which Node runs before there is a compiler. */

type Variables = Readonly<Record<string, string | undefined>>;

export function dependenciesAreCurrent(checkout: string): boolean;
export function installDependencies(checkout: string, env: Variables): void;
