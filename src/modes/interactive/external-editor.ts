/** The prompt in the user's own editor. The terminal must be the editor's meanwhile. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

export interface EditorOptions {
  readonly env: Environment;
  /** Ends the editor. */
  readonly signal: AbortSignal;
}

/** @returns what was written; undefined when the editor failed, and then nothing changes. */
export async function editExternally(
  text: string,
  { env, signal }: EditorOptions,
): Promise<string | undefined> {
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
    return (await child.exited) === 0 ? readFileSync(file, "utf8").replace(/\n$/, "") : undefined;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
