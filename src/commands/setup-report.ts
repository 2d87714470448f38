/** What the user reads when no Python environment could be made: one screen, ending in the command that fixes it. */

import { existsSync } from "node:fs";
import { type EnvironmentError, UnwritableError } from "../python/managed-environment-errors.ts";

/** Reasons may be long; a screen has 80 columns and two dozen lines. */
const MAX_PROBLEM_CHARS = 200;
const MAX_ATTEMPTS = 10;

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly fileExists: (path: string) => boolean;
  /** In containers the user is often root, and there is no sudo. */
  readonly isRoot?: boolean;
}

const thisMachine: Machine = {
  platform: process.platform,
  fileExists: existsSync,
  isRoot: process.getuid?.() === 0,
};

export function failureReport(error: EnvironmentError | UnwritableError, machine = thisMachine): string {
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
export function fixFor(error: EnvironmentError | UnwritableError, machine = thisMachine): string {
  if (error instanceof UnwritableError) {
    const { code, directory } = error;
    return code === "ENOSPC"
      ? `free some space at ${directory}`
      : `make ${directory} writable, or set OMP_HOME`;
  }
  const before = machine.platform === "darwin" ? macCommand(machine) : packageCommand(error, machine);
  return before === undefined
    ? "omp setup (with Python 3.9 or newer and a network)"
    : `${before} && omp setup`;
}

function macCommand({ fileExists }: Machine): string {
  const hasBrew = ["/opt/homebrew/bin/brew", "/usr/local/bin/brew"].some(fileExists);
  return hasBrew ? "brew install python" : "xcode-select --install";
}

/** As little as will do: recommended packages would be hundreds. With an index only a Python and a pip are needed, without one all of ipykernel. */
function packageCommand({ tried }: EnvironmentError, { fileExists, isRoot }: Machine): string | undefined {
  const lacking = tried.flatMap(({ lacks }) => lacks ?? []);
  const lacks = lacking.includes("pip") ? "pip" : lacking.length < tried.length ? "ipykernel" : "Python";
  const tool = packageTools.find(({ program }) => fileExists(program));
  if (tool === undefined) return undefined;
  return `${isRoot ? "" : "sudo "}${tool.command} ${tool.packages[lacks]}`;
}

const packageTools = [
  {
    program: "/usr/bin/apt-get",
    command: "apt-get install --no-install-recommends",
    packages: { pip: "python3-venv", Python: "python3", ipykernel: "python3-ipykernel" },
  },
  {
    program: "/usr/bin/dnf",
    command: "dnf install --setopt=install_weak_deps=False",
    packages: { pip: "python3-pip", Python: "python3", ipykernel: "python3-ipykernel" },
  },
  {
    program: "/usr/bin/pacman",
    command: "pacman -S",
    packages: { pip: "python-pip", Python: "python", ipykernel: "python-ipykernel" },
  },
  {
    program: "/sbin/apk",
    command: "apk add",
    packages: { pip: "py3-pip", Python: "python3", ipykernel: "py3-ipykernel" },
  },
] as const;
