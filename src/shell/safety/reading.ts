/** What reading a script gives: every command that it may run, however deeply wrapped, for the rules to look at. */

export interface Redirection {
  /** `>`, `>>`, `&>`, `<`, … */
  readonly operator: string;
  readonly targets: readonly string[];
}

export interface ReadCommand {
  /** Fields with marks (word-value.ts); empty for a redirection without a command. */
  readonly argv: readonly string[];
  /** Where the shell may stand when it runs. */
  readonly directories: readonly string[];
  readonly redirections: readonly Redirection[];
  /** The source, shortened, in one line. */
  readonly excerpt: string;
}

export interface Reading {
  readonly commands: readonly ReadCommand[];
  /** The sources of functions that start themselves over and over. */
  readonly forkBombs: readonly string[];
  /** Directories that the script goes to. */
  readonly destinations: readonly string[];
  /** Texts that could not be read as shell, or only in part. */
  readonly unread: readonly string[];
  /** Variables that the script takes from the shell around it. */
  readonly outside: readonly string[];
}

const excerptLimit = 120;

export function excerptOf(source: string): string {
  const line = source
    .slice(0, 4 * excerptLimit)
    .trim()
    .replace(/\s+/g, " ");
  return line.length > excerptLimit ? `${line.slice(0, excerptLimit - 1)}…` : line;
}
