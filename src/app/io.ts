import { TerminalText } from "../output/terminal-text.ts";

/** What a command writes to, instead of the process's own streams. */
export interface CommandIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** For output without end: undefined while stdout's reader keeps up, otherwise resolves when it has caught up. */
  readonly room?: (() => Promise<void> | undefined) | undefined;
  /** Waits until everything is written to stdout. @returns false when its reader has left before the end. */
  readonly delivered?: (() => Promise<boolean>) | undefined;
}

/** A stream's writer: as it is into a file or pipe, and only text and colours to a terminal. */
export function safeWriter(
  stream: { readonly isTTY?: boolean },
  write: (text: string) => void,
): (text: string) => void {
  if (stream.isTTY !== true) return write;
  const terminal = new TerminalText(write);
  return (text) => terminal.write(text);
}
