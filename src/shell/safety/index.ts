/** The public face of the danger check: what a shell command would do, before it runs. */

export { deniedBy, isAllowed, literalArguments, patternsFor } from "./command-patterns.ts";
export type { Danger, DangerPattern } from "./danger-rules.ts";
export { dangerIn, findDanger, readShell } from "./find-danger.ts";
export { isKnownSafe } from "./known-safe.ts";
export { type LiteralScript, readLiteral } from "./literal-script.ts";
export { type LiveShell, readLiveShell } from "./live-shell.ts";
export { loadParser } from "./parser.ts";
export type { Reading } from "./reading.ts";
export type { ShellPlace } from "./shell-state.ts";
