/** The public face of the danger check: what a shell command would do, before it runs. */

export { deniedBy, isAllowed, literalArguments, patternsFor } from "./command-patterns.ts";
export type { Danger, DangerPattern } from "./danger-rules.ts";
export { dangerIn, findDanger, readShell } from "./find-danger.ts";
export type { Reading } from "./follow.ts";
export { isKnownSafe, readLiteral } from "./known-safe.ts";
export { type LiveShell, readLiveShell } from "./live-shell.ts";
export type { Script } from "./script-reader.ts";
export type { ShellPlace } from "./shell-state.ts";
