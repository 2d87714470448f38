/** pip's wheel inside omp itself. Only builds (`npm pack`, `npm run build`) have it: they replace this module. */

/** The path of the embedded file, which can be read but not always run. */
export const embeddedPip: string | undefined = undefined;
