/** What a sandbox is to those that start programs: another command in front of theirs, and what the programs get with it. */

export interface Confinement {
  /** The command that starts a program inside. */
  wrap(argv: readonly string[], needs?: ConfinedNeeds): string[];
  /** Set on top of a program's environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** Inside, processes and some files have other names, and everything ends with the first process. See started.ts. */
  readonly hasOwnPids: boolean;
  /** Where programs put temporary files, under the same name inside and outside. */
  readonly temporaryDirectory: string;
}

/** Directories and files of ours that one program needs beside what every program inside may use. */
export interface ConfinedNeeds {
  readonly writable?: readonly string[];
  readonly readable?: readonly string[];
  /** Where the program starts, as it is called inside. */
  readonly cwd?: string;
}

interface Command {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** What to start a program with, inside a sandbox where there is one. */
export function confined(
  confinement: Confinement | undefined,
  { argv, env, cwd }: Command,
  needs?: Omit<ConfinedNeeds, "cwd">,
): { readonly argv: string[]; readonly env: Record<string, string>; readonly cwd: string } {
  if (confinement === undefined) return { argv: [...argv], env: { ...env }, cwd };
  return {
    argv: confinement.wrap(argv, { ...needs, cwd }),
    env: { ...env, ...confinement.variables },
    // It may exist only inside.
    cwd: confinement.hasOwnPids ? "/" : cwd,
  };
}
