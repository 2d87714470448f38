/** The system's clipboard: through the terminal (OSC 52), which also works over ssh, and through the desktop's own program. */

import { within } from "../async/within.ts";
import type { Invocation } from "../protocol/invocation.ts";

/** Terminals ignore, or choke on, more than this. */
const MAX_OSC_BYTES = 100_000;
const LIMIT_MS = 2_000;

/** What makes a terminal put the text into the clipboard; empty for a text that is too long for that. */
export function osc52(text: string): string {
  const base64 = Buffer.from(text).toString("base64");
  return base64.length > MAX_OSC_BYTES ? "" : `\x1b]52;c;${base64}\x07`;
}

/** @returns false where there is no program for it, or it failed. */
export async function copyWithProgram(text: string, { env }: Pick<Invocation, "env">): Promise<boolean> {
  for (const [program, ...args] of writersFor(env)) {
    const path = Bun.which(program, { PATH: env["PATH"] ?? "" });
    if (path === null) continue;
    // xclip and wl-copy stay in the background, with whatever they have open.
    const child = Bun.spawn([path, ...args], {
      env: { ...env },
      stdio: [Buffer.from(text), "ignore", "ignore"],
    });
    if (!(await within(child.exited, LIMIT_MS))) child.kill();
    else if (child.exitCode === 0) return true;
  }
  return false;
}

function writersFor(env: Invocation["env"]): readonly (readonly [string, ...string[]])[] {
  return [
    ...(env["WAYLAND_DISPLAY"] ? [["wl-copy"] as const] : []),
    ...(env["DISPLAY"] ? [["xclip", "-selection", "clipboard"] as const] : []),
    ["pbcopy"],
  ];
}
