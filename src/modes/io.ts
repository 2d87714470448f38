/** What every mode is given instead of reading the process's globals. */

export interface ModeIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

export interface ModePlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}
