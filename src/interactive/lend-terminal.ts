/** What omp does while another program has the terminal: the shell after Ctrl+Z, or the user's editor with the prompt. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { within } from "../async/within.ts";
import type { Invocation } from "../protocol/invocation.ts";
import type { Edited } from "../ui/store/actions.ts";

/** Where there is no shell that could continue the job, the system does not stop it: omp keeps running. */
const NOT_STOPPED_MS = 200;

/** Resolves when omp is continued. The terminal must be the shell's meanwhile. */
export async function suspendJob(): Promise<void> {
  const { promise: continued, resolve } = Promise.withResolvers<void>();
  process.once("SIGCONT", resolve);
  // The whole process group, as the terminal would do it: a launcher or a pipe that belongs to omp stops with it.
  process.kill(0, "SIGTSTP");
  await within(continued, NOT_STOPPED_MS);
  process.off("SIGCONT", resolve);
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Runs `work` while omp does not read `stdin`. Without a listener Bun still reads what is typed, and would take keys from the other
 * program. There must be no listener when this is called; one that is added afterwards gets the keys again.
 */
export async function withoutReading<T>(stdin: NodeJS.ReadStream, work: () => Promise<T>): Promise<T> {
  // Bun releases the terminal one turn after a flowing stream is paused; one that was read otherwise does not flow.
  await nextTurn();
  stdin.resume();
  await nextTurn();
  stdin.pause();
  await nextTurn();
  return await work();
}

/** The prompt in the user's own editor. The terminal must be the editor's meanwhile. @param signal ends the editor. */
export async function editExternally(
  text: string,
  env: Invocation["env"],
  signal: AbortSignal,
): Promise<Edited> {
  const directory = mkdtempSync(join(tmpdir(), "omp-prompt-"));
  const file = join(directory, "prompt.md");
  try {
    writeFileSync(file, text, { mode: 0o600 });
    const editor = env["VISUAL"] || env["EDITOR"] || "vi";
    // Through a shell: people have options in these variables.
    const child = Bun.spawn(["sh", "-c", `${editor} "$1"`, "sh", file], {
      env: { ...env },
      stdio: ["inherit", "inherit", "inherit"],
      signal,
    });
    const exitCode = await child.exited;
    if (exitCode === 0) return { text: readFileSync(file, "utf8").replace(/\n$/, "") };
    // A user who ended it with a signal, such as Ctrl+C, knows why.
    return exitCode > FIRST_SIGNAL ? {} : { failure: failureText(editor, exitCode) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A shell adds this to the number of the signal that ended a program. */
const FIRST_SIGNAL = 128;
/** A shell's exit codes for a program that is missing or cannot be run. */
const notStarted: readonly number[] = [126, 127];

function failureText(editor: string, exitCode: number): string {
  const what = notStarted.includes(exitCode)
    ? `The editor '${editor}' could not be started; set VISUAL or EDITOR to another one`
    : `The editor ended with exit code ${exitCode}`;
  return `${what}. The prompt is unchanged.`;
}
