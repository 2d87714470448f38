/** Ripgrep inside the program itself. Only the single file (`npm run build`) has it: the build replaces this module. */

/** The path of the embedded file, which can be read but not run. */
export const embeddedRipgrep: string | undefined = undefined;
