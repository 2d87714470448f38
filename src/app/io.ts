/** What a command writes to, instead of the process's own streams. */
export interface CommandIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** For output without end: undefined while stdout's reader keeps up, otherwise resolves when it has caught up. */
  readonly room?: (() => Promise<void> | undefined) | undefined;
}
