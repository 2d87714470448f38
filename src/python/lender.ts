/**
 * Who lends ipykernel to an interpreter that has none: the managed environment where it is of the same version of Python, else an
 * environment like it, one for each other version, under `~/.omp/python-loans`. What is not there yet is made.
 */

import { join } from "node:path";
import type { Environment } from "./executable.ts";
import type { InterpreterFacts } from "./facts.ts";
import { environmentOf, type Interpreter, pythonIn } from "./interpreter.ts";
import { ensureEnvironment, managedPlan } from "./managed-environment.ts";
import { EnvironmentError } from "./managed-environment-errors.ts";
import { hasKernel } from "./preflight.ts";
import { probeInterpreter } from "./probe.ts";

export interface LenderOptions {
  readonly managedEnvironment: string;
  /** The directory for the other versions. */
  readonly loans: string;
  /** The user's. */
  readonly env: Environment;
  /** The filtered environment for an interpreter. */
  readonly childEnv: (interpreter: Interpreter) => Record<string, string>;
  readonly cacheFile: string | undefined;
  /** Whether the environment may be made from the interpreter that borrows. */
  readonly mayRunBorrower: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (line: string) => void;
}

/** The lender's module path; undefined when there is none that is ready. */
export async function readyLender(
  { tag }: Pick<InterpreterFacts, "tag">,
  options: Pick<LenderOptions, "managedEnvironment" | "loans" | "childEnv" | "cacheFile">,
): Promise<readonly string[] | undefined> {
  if (tag === undefined) return undefined;
  for (const directory of [options.managedEnvironment, join(options.loans, tag)]) {
    const facts = await lenderIn(directory, options);
    if (facts?.tag === tag) return facts.paths;
  }
  return undefined;
}

/** Throws EnvironmentError or UnwritableError when it cannot be made. */
export async function makeLender(
  borrower: InterpreterFacts,
  options: LenderOptions,
): Promise<readonly string[]> {
  const { managedEnvironment, loans, env, signal, onProgress, mayRunBorrower } = options;
  const prefer = mayRunBorrower ? borrower.path : undefined;
  const common = { env, signal, onProgress, prefer };
  if ((await lenderIn(managedEnvironment, options)) === undefined) {
    await ensureEnvironment(managedPlan({ ...common, target: managedEnvironment })).catch(
      (error: unknown) => {
        // Another Python than the borrower's may be the reason.
        if (!(error instanceof EnvironmentError)) throw error;
      },
    );
  }
  const target = join(loans, borrower.tag ?? "unknown");
  const ready = await readyLender(borrower, options);
  if (ready !== undefined) return ready;
  await ensureEnvironment(managedPlan({ ...common, target, borrow: false, adopt: false }));
  const made = await readyLender(borrower, options);
  if (made !== undefined) return made;
  throw new EnvironmentError(target, [
    { what: borrower.path, problem: "has no environment made from it that fits" },
  ]);
}

/** The managed environment itself, for a Python that would give way to it. Throws as above. */
export async function makeManaged({ managedEnvironment: target, ...rest }: LenderOptions): Promise<void> {
  const { env, signal, onProgress } = rest;
  await ensureEnvironment(managedPlan({ env, signal, onProgress, target }));
}

async function lenderIn(
  directory: string,
  { childEnv, cacheFile }: Pick<LenderOptions, "childEnv" | "cacheFile">,
): Promise<InterpreterFacts | undefined> {
  const path = pythonIn(directory, {});
  if (typeof path !== "string") return undefined;
  const env = childEnv({ path, source: "managed", ...environmentOf(path) });
  const facts = await probeInterpreter(path, { env, cacheFile });
  return hasKernel(facts) ? facts : undefined;
}
