import type { Progress } from "@modelcontextprotocol/client";

/** `3/10 reading`, `40% done`, `reading`. */
export function progressLine({ progress, total, message = "" }: Progress): string {
  const done = total === undefined ? String(progress) : `${progress}/${total}`;
  return `${done}${message === "" ? "" : ` ${message}`}\n`;
}
