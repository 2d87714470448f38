/**
 * The lines of a text that match a regular expression, for `bash_output`. Ripgrep does it, with the same syntax as in `grep`: most
 * expressions take linear time, one with look-around or back-references may not, but it can neither block omp nor run for long.
 */

import { formatLimit } from "../format/durations.ts";
import { runRipgrep, type Search } from "./ripgrep.ts";
import { ToolError } from "./tool-error.ts";

const TIMEOUT_MS = 10_000;

export interface LineFilter extends Pick<Search, "operation" | "signal" | "services"> {
  readonly pattern: string;
}

/** @returns the matching lines, each with a newline. Throws ToolError when the pattern is invalid or takes too long. */
export async function filterLines(text: string, filter: LineFilter): Promise<string> {
  const { operation, pattern, signal, services } = filter;
  let lines = "";
  const { timedOut, notice } = await runRipgrep({
    operation,
    // No guesses about encoding or binary data: the text is UTF-8, whatever it contains.
    args: ["--engine=auto", "--text", "--encoding=none", "--no-line-number", "-e", pattern],
    target: "-",
    stdin: new TextEncoder().encode(text),
    cwd: "/",
    signal,
    services,
    timeoutMs: TIMEOUT_MS,
    separator: "\n",
    onRecord: (line) => {
      lines += `${line}\n`;
      return true;
    },
  });
  if (timedOut) {
    const issue = `the filter took longer than ${formatLimit(TIMEOUT_MS)}; use a simpler expression`;
    throw new ToolError({ operation, issue, code: "TIMEOUT" });
  }
  if (notice !== undefined) throw new ToolError({ operation, issue: notice, code: "SEARCH_FAILED" });
  return lines;
}
