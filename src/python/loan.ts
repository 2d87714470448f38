/**
 * What an interpreter without ipykernel is lent: the packages of a kernel, from the managed environment or a directory of its own
 * (lender.ts). Which these are, and whether they go together with what the interpreter has itself, is asked once and remembered
 * until one of the two changes.
 */

import { isRecord } from "../protocol/record.ts";
import { type AskOptions, askPython } from "./ask-python.ts";
import { isStrings, readWatched } from "./facts.ts";
import script from "./loan.py" with { type: "text" };
import { stamp } from "./probe-cache.ts";
import { isCurrent, StampedCache } from "./stamped-cache.ts";

export interface Loan {
  /** Where the lent packages are. */
  readonly directories: readonly string[];
  /** Top-level names of what is lent; nothing else that is there is. */
  readonly modules: readonly string[];
  readonly distributions: readonly string[];
  /** Whether the lent packages are found before the interpreter's own of the same name. */
  readonly first: boolean;
  /** Which of these modules the interpreter has, too. */
  readonly own: readonly string[];
  /** Why the lent ones go first: `traitlets 4.3.3 (jupyter-client needs >=5.3)`. */
  readonly conflicts: readonly string[];
  readonly ipykernel: string;
}

export interface LoanOptions extends AskOptions {
  readonly cacheFile: string | undefined;
  /** The module path of the lender. */
  readonly lenderPaths: readonly string[];
}

/** @param path of the interpreter that borrows. @returns a clause when it cannot be asked, or nothing is there to lend. */
export async function describeLoan(path: string, options: LoanOptions): Promise<Loan | { problem: string }> {
  const { lenderPaths, cacheFile, env } = options;
  const cache = cacheFile === undefined ? undefined : new StampedCache(cacheFile, readCurrentLoan);
  const key = `${path}\n${lenderPaths.join("\n")}`;
  const before = stamp(path, env);
  const known = before === undefined ? undefined : cache?.find(key, before);
  if (known !== undefined) return known;

  const reply = await askPython(path, { script, rest: [JSON.stringify(lenderPaths)] }, options);
  if ("problem" in reply) return reply;
  const loan = readLoan(reply.json);
  if (loan === undefined) return { problem: `finds no ipykernel in ${lenderPaths.join(", ")}` };
  if (before !== undefined) cache?.remember(key, before, reply.json);
  return loan;
}

function readCurrentLoan(json: unknown): Loan | undefined {
  if (!isRecord(json) || !isRecord(json["watched"]) || !isCurrent(readWatched(json["watched"])))
    return undefined;
  return readLoan(json);
}

function readLoan(json: unknown): Loan | undefined {
  if (!isRecord(json)) return undefined;
  const { directories, modules, distributions, own, conflicts, ipykernel } = json;
  if (typeof ipykernel !== "string" || !isStrings(directories) || !isStrings(modules)) return undefined;
  if (!isStrings(distributions) || !isStrings(own) || !isStrings(conflicts)) return undefined;
  // An ipykernel of its own that is too old would be found, too.
  const first = conflicts.length > 0 || own.includes("ipykernel");
  return { directories, modules, distributions, first, own, conflicts, ipykernel };
}
