/** How each language of `exec` is started: which program, which arguments. Starts nothing. */

import { findOnPath } from "../python/executable.ts";
import type { InterpreterSearch } from "../python/interpreter.ts";
import { pythonSource } from "./python-source.ts";
import { ToolError } from "./tool-error.ts";

export const execLanguages = ["bash", "javascript", "python"] as const;
export type ExecLanguage = (typeof execLanguages)[number];

interface LanguageStart {
  /** What is looked up on PATH; Python is the session's interpreter instead. */
  readonly program: string;
  /** The code as an argument. */
  readonly inline: (code: string) => string[];
  /**
   * The code from a file, for code that is too long for an argument. A short loader reads it, so that the code sees what
   * it would see inline: the same arguments, the same import path, no file name of its own.
   */
  readonly fromFile: (path: string, program: string) => string[];
  readonly fileName: string;
  /** The code as the content of a file, where that is another. */
  readonly source?: (code: string) => string;
}

export const languageStarts: Readonly<Record<ExecLanguage, LanguageStart>> = {
  bash: {
    program: "bash",
    // "--": code may begin with a dash.
    inline: (code) => ["-c", "--", code],
    fromFile: (path, program) => ["-c", 'eval "set --;$(<"$1")"', program, path],
    fileName: "code.sh",
  },
  javascript: {
    program: "node",
    // "-e" refuses code that begins with a dash, "--eval=" refuses none at all.
    inline: (code) => (code.startsWith("-") ? [`--eval=${code}`] : ["-e", code]),
    fromFile: (path) => [
      "-e",
      '(0, eval)(require("fs").readFileSync(process.argv.splice(1, 1)[0], "utf8"))',
      path,
    ],
    fileName: "code.js",
  },
  python: {
    program: "python3",
    // "-u": what was printed before a timeout is not lost in a buffer.
    inline: (code) => ["-u", "-c", code],
    fromFile: (path) => [
      "-u",
      "-c",
      'exec(compile(open(__import__("sys").argv.pop(1), encoding="utf-8").read(), "<string>", "exec"))',
      path,
    ],
    fileName: "code.py",
    source: pythonSource,
  },
};

/** Linux takes at most 128 KiB in one argument. */
const MAX_INLINE_BYTES = 100_000;

export function fitsInline(code: string): boolean {
  return Buffer.byteLength(code) <= MAX_INLINE_BYTES;
}

export interface ProgramSearch {
  readonly env: Record<string, string>;
  readonly cwd: string;
  readonly interpreter: InterpreterSearch;
}

/** The program's full path; looked for before anything is started. */
export function findProgram(language: ExecLanguage, { env, cwd, interpreter }: ProgramSearch): string {
  const { program } = languageStarts[language];
  const found = language === "python" ? interpreter.found?.path : findOnPath(program, { env, cwd });
  if (found !== undefined) return found;
  // A setting that names an unusable interpreter is final: no other is taken in silence.
  const setting = interpreter.tried.find(({ source }) => source === "setting");
  const issue =
    language === "python" && setting !== undefined
      ? `the setting python.interpreter: ${setting.path} ${setting.problem}`
      : `${program} not found in PATH`;
  throw new ToolError({ operation: "exec", issue, code: "ENOENT" });
}
