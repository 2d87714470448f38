/** The packages of a kernel, lent to an interpreter that has none: what a start needs to know of it. */

import source from "./lend.py" with { type: "text" };

export interface LentPackages {
  readonly directories: readonly string[];
  readonly modules: readonly string[];
  readonly distributions: readonly string[];
  /** Found before the interpreter's own of the same name. */
  readonly first: boolean;
}

export const lendSource = source;

/** A script that becomes a kernel, with the arguments of ipykernel_launcher. */
export function lentLauncher({ directories, modules, distributions, first }: LentPackages): string {
  const loan = JSON.stringify({ directories, modules, distributions, first });
  // A name of its own, by which imports.py knows it. A JSON string is a Python string literal, too.
  return `import json, os

space = {"__name__": "_omp_lend"}
exec(${JSON.stringify(source)}, space)
space["launch"](json.loads(${JSON.stringify(loan)}), os.path.dirname(os.path.abspath(__file__)))
`;
}
