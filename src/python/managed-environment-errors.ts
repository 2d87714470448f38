/** Why there is no managed environment, in terms that `omp setup` can give advice on. */

import { OmpError } from "../protocol/error.ts";
import type { Attempt } from "./base-pythons.ts";

export class EnvironmentError extends OmpError {
  readonly kind = "environment";
  readonly tried: readonly Attempt[];

  constructor(target: string, tried: readonly Attempt[]) {
    super({
      operation: "setup",
      issue: `no Python environment could be made at ${target}`,
      code: "NO_PYTHON",
    });
    this.tried = tried;
  }
}

/** No files can be written where the environment is to be, or no more. */
export class UnwritableError extends OmpError {
  readonly kind = "unwritable";
  readonly directory: string;

  constructor(directory: string, code: string, options?: { readonly cause: unknown }) {
    super({ operation: "setup", issue: `cannot write in '${directory}'`, code }, options);
    this.directory = directory;
  }
}

/** Programs say it in their own words. */
const DISK_FULL = /ENOSPC|No space left on device/;

/** @param parent the directory that the environment is made in */
export function environmentFailure(target: string, parent: string, tried: readonly Attempt[]): OmpError {
  const isFull = tried.some(({ problem }) => DISK_FULL.test(problem));
  return isFull ? new UnwritableError(parent, "ENOSPC") : new EnvironmentError(target, tried);
}
