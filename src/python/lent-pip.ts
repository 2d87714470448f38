/**
 * `pip` for an environment that has none of its own, as uv, pixi and `venv --without-pip` leave it. Without this the next `pip` on PATH would
 * answer, which installs for another Python. It is lent as ipykernel is: the managed environment's pip works on any interpreter.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shellQuote } from "../format/shell-quote.ts";
import { attempt } from "../protocol/error.ts";

const NAMES = ["pip", "pip3"];

/** @param programs the directory of an environment's programs. */
export function lacksPip(programs: string): boolean {
  return !NAMES.some((name) => existsSync(join(programs, name)));
}

/** Writes the programs, unless they are there. Where that cannot be done, `pip` is not lent. */
export function writeLentPip(directory: string, managedEnvironment: string): void {
  const script = lentPip(managedEnvironment);
  attempt(() => {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const path of NAMES.map((name) => join(directory, name))) {
      if (attempt(() => readFileSync(path, "utf8")) !== script) writeFileSync(path, script, { mode: 0o700 });
    }
  });
}

function lentPip(managedEnvironment: string): string {
  const managed = shellQuote(join(managedEnvironment, "bin", "python"));
  return `#!/bin/sh
# Made by omp: pip for the Python that is first on PATH, which has none of its own.
python=$(command -v python || command -v python3)
if "$python" -c 'import pip' 2>/dev/null; then exec "$python" -m pip "$@"; fi
if ${managed} -c 'import pip' 2>/dev/null; then exec ${managed} -m pip --python "$python" "$@"; fi
if command -v uv >/dev/null && [ -n "$VIRTUAL_ENV" ]; then exec uv pip "$@"; fi
echo "pip: $python has no pip, and omp has none to lend; to make one: omp setup (NO_PIP)" >&2
exit 1
`;
}
