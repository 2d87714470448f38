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

/** The picture in the clipboard, as PNG; undefined where there is none, or no program that could tell. */
export async function imageInClipboard({ env }: Pick<Invocation, "env">): Promise<Uint8Array | undefined> {
  for (const [program, ...args] of readersFor(env)) {
    const path = Bun.which(program, { PATH: env["PATH"] ?? "" });
    if (path === null) continue;
    const child = Bun.spawn([path, ...args], { env: { ...env }, stdio: ["ignore", "pipe", "ignore"] });
    const reading = child.stdout.bytes();
    if (!(await within(Promise.all([reading, child.exited]), LIMIT_MS))) child.kill();
    else if (child.exitCode === 0 && isPng(await reading)) return await reading;
  }
  return undefined;
}

function readersFor(env: Invocation["env"]): readonly (readonly [string, ...string[]])[] {
  return [
    ...(env["WAYLAND_DISPLAY"] ? [["wl-paste", "--type", "image/png"] as const] : []),
    ...(env["DISPLAY"] ? [["xclip", "-selection", "clipboard", "-t", "image/png", "-o"] as const] : []),
    ["pngpaste", "-"],
  ];
}

function isPng(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(1, 4)).toString("latin1") === "PNG";
}
