/** Where IPython keeps its profile: in the user's own directory if there is one, and otherwise not in the user's home. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { OmpPaths } from "../../config/paths.ts";

/** For kernels on this machine; `env` is theirs. */
export function ipythonVariables(
  env: Readonly<Record<string, string>>,
  { userHome, home }: Pick<OmpPaths, "userHome" | "home">,
): Record<string, string> {
  if (env["IPYTHONDIR"] || existsSync(join(userHome, ".ipython"))) return {};
  return { IPYTHONDIR: join(home, "agent", "ipython") };
}
