/** Types of npm.mjs, which Node runs before there is a compiler. */

export function npmCommand(env: Readonly<Record<string, string | undefined>>): string[];
