/** What the user reads when no Python environment could be made: one screen, ending in the command that fixes it. */

import { type EnvironmentError, UnwritableError } from "../python/managed-environment.ts";

/** Reasons may be long; a screen has 80 columns and two dozen lines. */
const MAX_PROBLEM_CHARS = 200;
const MAX_ATTEMPTS = 10;

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly fileExists: (path: string) => boolean;
}

export function failureReport(error: EnvironmentError | UnwritableError, machine: Machine): string {
  if (error instanceof UnwritableError) return `${error.message}\nTo fix it: ${fixFor(error, machine)}`;
  const attempts = error.tried.slice(0, MAX_ATTEMPTS).map(({ what, problem }) => {
    const short = problem.length > MAX_PROBLEM_CHARS ? `${problem.slice(0, MAX_PROBLEM_CHARS)}…` : problem;
    return `  ${what}: ${short}`;
  });
  const more = error.tried.length - attempts.length;
  return [
    error.message,
    "Tried:",
    ...attempts,
    ...(more > 0 ? [`  … and ${more} more`] : []),
    `To fix it, run: ${fixFor(error, machine)}`,
  ].join("\n");
}

/** The exact command for this system. */
export function fixFor(error: EnvironmentError | UnwritableError, { platform, fileExists }: Machine): string {
  if (error instanceof UnwritableError) return `make ${error.directory} writable, or set OMP_HOME`;
  const needed = error.tried.some(({ problem }) => /ensurepip|No module named '?venv/.test(problem))
    ? { apt: "python3-venv", dnf: "python3-pip" }
    : { apt: "python3-ipykernel", dnf: "python3-ipykernel" };
  const before = platform === "darwin" ? "brew install python" : packageCommand(needed, fileExists);
  return before === undefined
    ? "omp setup (with Python 3.9 or newer and a network)"
    : `${before} && omp setup`;
}

function packageCommand(
  { apt, dnf }: { apt: string; dnf: string },
  fileExists: Machine["fileExists"],
): string | undefined {
  if (fileExists("/usr/bin/apt-get")) return `sudo apt-get install ${apt}`;
  if (fileExists("/usr/bin/dnf")) return `sudo dnf install ${dnf}`;
  if (fileExists("/usr/bin/pacman")) return "sudo pacman -S python-ipykernel";
  if (fileExists("/sbin/apk")) return "sudo apk add py3-ipykernel";
  return undefined;
}
