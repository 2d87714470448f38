/**
 * cloudpickle for kernels whose environment has none: from the managed environment, or from one of those that lend ipykernel. It is pure
 * Python, so its text serves every version, also a kernel on another machine.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../protocol/error.ts";

/** Where each module is. */
const MODULES = { cloudpickle: "__init__.py", "cloudpickle.cloudpickle": "cloudpickle.py" } as const;

/** The text of each module; undefined where nobody has it. */
export function lentCloudpickle(paths: {
  readonly pythonEnvironment: string;
  readonly pythonLoans: string;
}): Readonly<Record<string, string>> | undefined {
  const loans = attempt(() => readdirSync(paths.pythonLoans)) ?? [];
  const environments = [paths.pythonEnvironment, ...loans.map((name) => join(paths.pythonLoans, name))];
  for (const environment of environments) {
    const library = join(environment, "lib");
    for (const version of attempt(() => readdirSync(library)) ?? []) {
      const found = readModules(join(library, version, "site-packages", "cloudpickle"));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function readModules(directory: string): Readonly<Record<string, string>> | undefined {
  return attempt(() =>
    Object.fromEntries(
      Object.entries(MODULES).map(([name, file]) => [name, readFileSync(join(directory, file), "utf8")]),
    ),
  );
}
