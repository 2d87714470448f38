/**
 * What the next kernel on this machine is started with: looked at again for each one, so that an environment that was made, changed or
 * removed meanwhile counts. An interpreter without ipykernel is lent one, which is made first where there is none.
 */

import { unlessAborted } from "../../async/abort.ts";
import { OmpError } from "../../protocol/error.ts";
import type { InterpreterFacts } from "../../python/facts.ts";
import type { Interpreter } from "../../python/interpreter.ts";
import { type LenderOptions, makeLender, makeManaged, readyLender } from "../../python/lender.ts";
import { describeLoan, type Loan } from "../../python/loan.ts";
import { hasKernel, preflight } from "../../python/preflight.ts";
import { probeInterpreter } from "../../python/probe.ts";
import { modified } from "../../python/stamped-cache.ts";
import { KernelError, kernelClosedError } from "../errors.ts";
import { ipythonVariables } from "./ipython-directory.ts";
import { localLaunch, unsupportedError } from "./local-launch.ts";
import type { SessionHostOptions } from "./session-host.ts";

export interface Launch {
  readonly interpreter: Interpreter;
  /** A kernelspec's own command. */
  readonly argv: readonly string[] | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly loan: Loan | undefined;
  /** Differs when a kernel that was started before would be another one now. */
  readonly key: string;
}

type LaunchOptions = Pick<
  SessionHostOptions,
  | "findInterpreter"
  | "kernelEnv"
  | "kernelVariables"
  | "env"
  | "cwd"
  | "paths"
  | "environment"
  | "onProgress"
  | "confinement"
  | "knownLoan"
>;

export class Launches {
  readonly #options: LaunchOptions;
  readonly #kernelSpec: string | undefined;
  readonly #closing = new AbortController();
  /** One at a time, and it goes on when the call that wanted it is given up. */
  #making: Promise<unknown> | undefined;

  constructor(options: LaunchOptions, kernelSpec: string | undefined) {
    this.#options = options;
    this.#kernelSpec = kernelSpec;
  }

  /** Throws KernelError. */
  async next(signal: AbortSignal, isMade = false): Promise<Launch> {
    const { environment, kernelEnv, kernelVariables, knownLoan } = this.#options;
    const launch = await localLaunch(this.#options, this.#kernelSpec);
    if ("problem" in launch) throw unsupportedError(launch.problem);
    const { search, argv } = launch;
    const { found } = search;
    if (found === undefined) throw unsupportedError(preflight(search, undefined));
    const own = kernelEnv(found);
    const env = {
      ...own,
      ...ipythonVariables(own, this.#options.paths),
      ...launch.env,
      ...kernelVariables?.(),
    };
    const plain = { interpreter: found, argv, env, loan: undefined };
    if (argv !== undefined) return withKey(plain, undefined);
    if (environment.skipPythonCheck) return withKey({ ...plain, loan: knownLoan }, undefined);
    const facts = await this.#probe(found);
    const check = preflight(search, facts);
    if (!check.ok) throw unsupportedError(check);
    if (hasKernel(facts)) return withKey(plain, facts);
    if (!isMade && (found.source === "PATH" || found.source === "managed")) {
      // The managed environment goes before the Python on PATH as soon as it is there.
      await this.#make(found, signal, makeManaged);
      return await this.next(signal, true);
    }
    return withKey({ ...plain, loan: await this.#borrow(found, facts, signal) }, facts);
  }

  close(): void {
    this.#closing.abort(kernelClosedError());
  }

  async #probe(found: Interpreter): Promise<InterpreterFacts> {
    const { kernelEnv, paths, confinement } = this.#options;
    const options = { env: kernelEnv(found), cacheFile: paths.interpreterCache, confinement };
    return await probeInterpreter(found.path, options);
  }

  async #borrow(found: Interpreter, facts: InterpreterFacts, signal: AbortSignal): Promise<Loan> {
    const { kernelEnv, paths, confinement } = this.#options;
    const lenderPaths =
      (await readyLender(facts, this.#lenderOptions)) ??
      (await this.#make(found, signal, (options) => makeLender(facts, options)));
    const options = { env: kernelEnv(found), cacheFile: paths.loanCache, lenderPaths, confinement };
    const loan = await describeLoan(found.path, options);
    if (!("problem" in loan)) return loan;
    const issue = `${found.path} ${loan.problem}; to repair what is lent to it: omp setup --force`;
    throw new KernelError({ kind: "unsupported", issue, code: "IPYKERNEL_NOT_LENT" });
  }

  async #make<T>(
    { path }: Interpreter,
    signal: AbortSignal,
    make: (options: LenderOptions) => Promise<T>,
  ): Promise<T> {
    const before = this.#making ?? Promise.resolve();
    const making = before.catch(() => undefined).then(() => make(this.#lenderOptions));
    this.#making = making;
    try {
      return await unlessAborted(making, AbortSignal.any([signal, this.#closing.signal]));
    } catch (error) {
      if (!(error instanceof OmpError) || error instanceof KernelError) throw error;
      const issue = `${path} has no ipykernel, and none could be made for it: ${error.issue}; omp setup says more`;
      throw new KernelError({ kind: "unsupported", issue, code: error.code }, { cause: error });
    }
  }

  get #lenderOptions(): LenderOptions {
    const { paths, env, kernelEnv, onProgress, confinement } = this.#options;
    return {
      // In a sandbox the project's interpreter may have been changed, and what makes an environment is outside.
      mayRunBorrower: confinement === undefined,
      managedEnvironment: paths.pythonEnvironment,
      loans: paths.pythonLoans,
      env,
      childEnv: kernelEnv,
      cacheFile: paths.interpreterCache,
      signal: this.#closing.signal,
      onProgress,
    };
  }
}

/** A package that was installed changes its directory: a fork server from before would not know a `.pth` file that came with it. */
function withKey(launch: Omit<Launch, "key">, facts: InterpreterFacts | undefined): Launch {
  const { interpreter, argv, env, loan } = launch;
  const dates = (facts?.paths ?? []).map(modified);
  return { ...launch, key: JSON.stringify([interpreter.path, argv, env, loan, dates]) };
}
