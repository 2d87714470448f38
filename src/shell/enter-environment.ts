/**
 * Follows the chosen Python environment in a shell that is running already: what another environment would have started it with is
 * changed, and nothing that its commands have changed themselves.
 */

import { shellQuote } from "../format/shell-quote.ts";

type Variables = Readonly<Record<string, string>>;

const NAMES = ["VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "PYTHONHOME"];

/** A script for bash; undefined when there is nothing to change. `$?` stays what it was. */
export function enterScript(before: Variables, now: Variables): string | undefined {
  const [had = [], has = []] = [before, now].map(({ PATH = "" }) => PATH.split(":"));
  const gone = had.filter((entry) => !has.includes(entry));
  const added = has.filter((entry) => !had.includes(entry));
  const changed = NAMES.filter((name) => before[name] !== now[name]);
  if (gone.length + added.length + changed.length === 0) return undefined;
  const lines = [
    "__omp_status=$?",
    '__omp_path=":$PATH:"',
    ...[...gone, ...added].flatMap((entry) => [
      `__omp_entry=${shellQuote(entry)}`,
      `__omp_path=\${__omp_path//":$__omp_entry:"/:}`,
    ]),
    `__omp_path=\${__omp_path#:}`,
    `builtin export PATH=${added.map((entry) => `${shellQuote(entry)}:`).join("")}"\${__omp_path%:}"`,
    ...changed.map((name) => {
      const value = now[name];
      return value === undefined ? `builtin unset ${name}` : `builtin export ${name}=${shellQuote(value)}`;
    }),
    "builtin hash -r",
    // Under set -e a status that is not 0 would end the shell.
    "[[ $- == *e* ]] || (builtin exit $__omp_status)",
  ];
  return lines.join("\n");
}
