/** Which extension modules a kernel loads: the user's, then the project's; a project's module replaces the user's of its name. */

import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { systemCode } from "../../protocol/index.ts";

export interface ExtensionModule {
  readonly name: string;
  readonly path: string;
  /** For kernels that do not see our disk. */
  readonly source?: string;
}

/** @param directories later ones win; one that does not exist has no modules. */
export function extensionModules(directories: readonly string[]): ExtensionModule[] {
  const byName = new Map<string, ExtensionModule>();
  for (const directory of directories) {
    for (const file of pythonFiles(directory)) {
      const name = basename(file, ".py");
      // Taken out first: a module that replaces another also loads later, in the place of its own directory.
      byName.delete(name);
      byName.set(name, { name, path: join(directory, file) });
    }
  }
  return [...byName.values()];
}

function pythonFiles(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(".py"))
      .sort();
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return [];
    throw error;
  }
}
