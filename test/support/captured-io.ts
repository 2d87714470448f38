/** Where a command writes, kept. */

import type { CommandIo } from "../../src/app/io.ts";

export function capturedIo(): { readonly io: CommandIo; readonly out: { stdout: string; stderr: string } } {
  const out = { stdout: "", stderr: "" };
  const io: CommandIo = {
    stdout: (text) => {
      out.stdout += text;
    },
    stderr: (text) => {
      out.stderr += text;
    },
  };
  return { io, out };
}
