/** What `omp doctor` says about ipykernel: the interpreter's own, or the one that it is lent. Asks anew, and writes no cache. */

import type { OmpPaths } from "../config/paths.ts";
import type { InterpreterFacts } from "../python/facts.ts";
import type { Interpreter } from "../python/interpreter.ts";
import { readyLender } from "../python/lender.ts";
import { describeLoan, type Loan } from "../python/loan.ts";
import { hasKernel } from "../python/preflight.ts";
import type { Check } from "./check.ts";

export interface IpykernelCheck {
  readonly check: Check;
  /** Whether a kernel can be started without making an environment first. */
  readonly isReady: boolean;
  readonly loan?: Loan;
}

interface Side {
  readonly interpreter: Interpreter;
  readonly paths: OmpPaths;
  readonly childEnv: (interpreter: Interpreter) => Record<string, string>;
}

const name = "ipykernel";

export async function checkIpykernel(facts: InterpreterFacts, side: Side): Promise<IpykernelCheck> {
  const { ipykernel } = facts.packages;
  if (ipykernel !== undefined && hasKernel(facts))
    return { check: { name, status: "ok", value: ipykernel }, isReady: true };
  const own = ipykernel === undefined ? "not installed" : `${ipykernel}, which is too old`;
  const loan = await findLoan(facts, side);
  if (loan === undefined) {
    const made = side.interpreter.source === "PATH" ? "the managed environment" : "one that is lent to it";
    return {
      check: { name, status: "ok", value: `${own}: the first kernel will make ${made}` },
      isReady: false,
    };
  }
  if ("problem" in loan) {
    const value = `${own}, and ${side.interpreter.path} ${loan.problem}`;
    return { check: { name, status: "fail", value, fix: "omp setup --force" }, isReady: false };
  }
  const notes = loan.conflicts.map((each) => `kernels use the lent package instead of ${each}`);
  const value = `${own}: lent ${loan.ipykernel} from ${loan.directories.join(", ")}`;
  return { check: { name, status: "ok", value, notes, details: { loan } }, isReady: true, loan };
}

async function findLoan(facts: InterpreterFacts, { interpreter, paths, childEnv }: Side) {
  if (interpreter.source === "PATH") return undefined;
  const cacheFile = undefined;
  const { pythonEnvironment: managedEnvironment, pythonLoans: loans } = paths;
  const lenderPaths = await readyLender(facts, { managedEnvironment, loans, childEnv, cacheFile });
  if (lenderPaths === undefined) return undefined;
  return await describeLoan(interpreter.path, { env: childEnv(interpreter), cacheFile, lenderPaths });
}
