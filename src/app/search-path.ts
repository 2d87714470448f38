/** PATH, as omp and the programs that it starts use it. */

import { delimiter, isAbsolute } from "node:path";

/**
 * Leaves out entries that are empty or relative: they mean the working directory, and a project could bring its own `bash` or `git`
 * there.
 */
export function dropRelativePath(env: Record<string, string | undefined>): void {
  const entries = env["PATH"]?.split(delimiter) ?? [];
  const absolute = entries.filter((entry) => isAbsolute(entry));
  if (absolute.length < entries.length) env["PATH"] = absolute.join(delimiter);
}
