/** What every mode is given instead of reading the process's globals. */

export interface ModeIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** For who writes without end: undefined while stdout's reader keeps up, else resolves when it has caught up. */
  readonly room?: (() => Promise<void> | undefined) | undefined;
}

export interface ModePlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}
