/**
 * Can the python tool work with what was found? If not: one line that says why, and the command that fixes it.
 * Starts nothing; the facts are from interpreter.ts and probe.ts.
 */

import { shellQuote } from "../format/shell-quote.ts";
import { errorLine } from "../protocol/error.ts";
import type { InterpreterFacts } from "./facts.ts";
import type { Interpreter, InterpreterSearch } from "./interpreter.ts";
import { describeTried } from "./interpreter-words.ts";
import type { KernelSpecProblem } from "./kernel-specs.ts";

export type PreflightCode =
  | "PYTHON_NOT_FOUND"
  | "PYTHON_UNUSABLE"
  | "PYTHON_TOO_OLD"
  | "KERNEL_GATEWAY_NOT_FOUND"
  | KernelSpecProblem["code"]
  | "KERNEL_UNREACHABLE"
  | "KERNEL_LANGUAGE"
  /** GATEWAY_UNKNOWN, GATEWAY_TOKEN_NOT_SET, GATEWAY_CA_UNREADABLE; or what a gateway was asked and answered. */
  | `GATEWAY_${string}`;

export type Preflight =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** One line in the error format, with the fix in it. */
      readonly reason: string;
      readonly code: PreflightCode;
      /** What is wrong, without the fix. */
      readonly issue: string;
      /** The exact command, or what to change when no command does it. */
      readonly fix: string;
    };

/** The oldest for which ipykernel 6.29 and later are made. */
export const minimumPython = [3, 9] as const;
const minimumIpykernel = [6] as const;
const GATEWAY = "jupyter_kernel_gateway";

/** @param options.sharedGateway `python.sharedGateway`: kernels live in a gateway that the same interpreter runs. */
export function preflight(
  search: InterpreterSearch,
  facts: InterpreterFacts | undefined,
  { sharedGateway = false }: { readonly sharedGateway?: boolean } = {},
): Preflight {
  const { found } = search;
  if (found === undefined || facts === undefined) return notFound(search);
  const { path } = found;
  if (facts.problem !== undefined || facts.version === undefined) {
    return failedPreflight(
      "PYTHON_UNUSABLE",
      `${path} ${facts.problem ?? "is unusable"}`,
      otherPython(found),
    );
  }
  if (!isAtLeast(facts.version, minimumPython)) {
    const issue = `${path} is Python ${facts.version}, and ${minimumPython.join(".")} or later is needed`;
    return failedPreflight("PYTHON_TOO_OLD", issue, otherPython(found));
  }
  // Kernels on this machine are lent what is missing; a gateway is a program of the interpreter's own.
  const missing = [
    ...(hasKernel(facts) ? [] : ["ipykernel"]),
    ...(facts.packages.kernel_gateway ? [] : [GATEWAY]),
  ];
  if (sharedGateway && missing.length > 0) {
    const issue = `${missing.join(" and ")} ${missing.length > 1 ? "are" : "is"} not installed in ${path}, and python.sharedGateway needs ${missing.length > 1 ? "them" : "it"}`;
    return failedPreflight("KERNEL_GATEWAY_NOT_FOUND", issue, install(missing.join(" "), found, facts));
  }
  return { ok: true };
}

/** Whether it can run kernels by itself: with an ipykernel that is new enough. */
export function hasKernel({ packages: { ipykernel } }: Pick<InterpreterFacts, "packages">): boolean {
  return ipykernel === "unknown" || (ipykernel !== undefined && isAtLeast(ipykernel, minimumIpykernel));
}

/** Two kinds, because only a command can be run. */
export type Fix = { readonly command: string } | { readonly advice: string };

const otherSetting: Fix = { advice: "fix or remove the setting python.interpreter" };
const setup: Fix = { command: "omp setup" };

/** For what keeps the python tool from working and is found elsewhere. */
export function failedPreflight(
  code: PreflightCode,
  issue: string,
  fix: Fix,
): Extract<Preflight, { readonly ok: false }> {
  const [text, advice] = "command" in fix ? [fix.command, `run: ${fix.command}`] : [fix.advice, fix.advice];
  const reason = errorLine({ operation: "python", issue: `${issue}; ${advice}`, code });
  return { ok: false, reason, code, issue, fix: text };
}

function notFound(search: InterpreterSearch): Preflight {
  const setting = search.tried.find(({ source }) => source === "setting");
  if (setting !== undefined) {
    const issue = `the setting python.interpreter names ${setting.path}, which ${setting.problem}`;
    return failedPreflight("PYTHON_NOT_FOUND", issue, otherSetting);
  }
  const issue = `no Python found (${describeTried(search).join("; ")})`;
  return failedPreflight("PYTHON_NOT_FOUND", issue, { advice: "install Python 3, then run: omp setup" });
}

/** The managed environment only helps where it is next in line: everything but PATH goes before it. */
function otherPython({ source, venv }: Interpreter): Fix {
  switch (source) {
    case "setting":
      return otherSetting;
    case "managed":
    case "PATH":
      return setup;
    case "kernelspec":
      return { advice: "fix or remove the setting python.kernelSpec" };
    default:
      return { advice: `recreate ${venv ?? "the environment"} with a later Python, or remove it` };
  }
}

function install(what: string, { path, source }: Interpreter, { installer }: InterpreterFacts): Fix {
  const python = shellQuote(path);
  if ((source === "managed" || source === "PATH") && installer === "system") {
    return { command: `python3 -m venv .venv && .venv/bin/python -m pip install ipykernel ${GATEWAY}` };
  }
  switch (installer) {
    case "pip":
      return { command: `${python} -m pip install ${what}` };
    case "ensurepip":
      return { command: `${python} -m ensurepip && ${python} -m pip install ${what}` };
    case "none":
      return { command: `uv pip install --python ${python} ${what}` };
    case "system":
      return { advice: "remove the setting python.interpreter, then run: omp setup" };
  }
}

/** Compares leading numbers only: `3.13.0rc1` is at least 3.13. */
export function isAtLeast(version: string, minimum: readonly number[]): boolean {
  const numbers = version.split(".").map((part) => Number.parseInt(part, 10));
  for (const [index, wanted] of minimum.entries()) {
    const have = numbers[index] ?? 0;
    if (have !== wanted) return have > wanted;
  }
  return true;
}
