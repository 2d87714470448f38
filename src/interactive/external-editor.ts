/** The prompt in the user's own editor. The terminal must be the editor's meanwhile. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Edited } from "../ui/store/actions.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface EditorOptions {
  readonly env: Environment;
  /** Ends the editor. */
  readonly signal: AbortSignal;
}

export async function editExternally(text: string, { env, signal }: EditorOptions): Promise<Edited> {
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
    // Who ended it with a signal, Ctrl+C for one, knows.
    return exitCode > FIRST_SIGNAL ? {} : { failure: failure(editor, exitCode) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** From here on a shell counts the signals that ended a program. */
const FIRST_SIGNAL = 128;
/** What a shell answers for a program that is not there, or is none. */
const NOT_STARTED = [126, 127];

function failure(editor: string, exitCode: number): string {
  const how = NOT_STARTED.includes(exitCode)
    ? `The editor '${editor}' could not be started; VISUAL or EDITOR names another`
    : `The editor ended with exit code ${exitCode}`;
  return `${how}. The prompt is as it was.`;
}
