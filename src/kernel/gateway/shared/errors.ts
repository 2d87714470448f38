/** What can be wrong with the shared gateway, each with what to do about it. */

import { OmpError, systemCode } from "../../../protocol/index.ts";
import { KernelError } from "../../errors.ts";
import type { GatewayRecord } from "./record.ts";

/** The system's own errors, in words; everything else as it is. */
export function explainError(error: unknown, directory: string): unknown {
  const code = systemCode(error);
  if (code === undefined || error instanceof OmpError || code.startsWith("ERR_")) return error;
  return directoryError({ code, directory, cause: error });
}

export function directoryError(parts: {
  readonly code: string;
  readonly directory: string;
  readonly cause?: unknown;
}): KernelError {
  const { code, directory, cause } = parts;
  const issue = `the shared gateway cannot be coordinated in ${directory}: ${reasons[code] ?? "it cannot be used"}`;
  return new KernelError({ kind: "start-failed", issue, code }, { cause });
}

/** Whether a system error code says that the directory cannot be used. */
export function isDirectoryProblem(code: string): boolean {
  return code in reasons && code !== "EMFILE";
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; free some space, or set OMP_HOME to another disk",
  EDQUOT: "the disk quota is used up; free some space, or set OMP_HOME to another disk",
  EFBIG: "the file size limit is reached (ulimit -f)",
  EROFS: "the disk is read-only; set OMP_HOME to another one",
  EACCES: "it is not writable; fix its permissions, or set OMP_HOME to another directory",
  EPERM: "it is not writable; fix its permissions, or set OMP_HOME to another directory",
  ENOTDIR: "something other than a directory is in the way",
  EEXIST: "something other than a directory is in the way",
  EMFILE: "omp has too many open files",
};

export function otherPythonError(
  record: GatewayRecord,
  users: readonly number[],
  python: string,
): KernelError {
  const issue = `the shared gateway runs ${record.python} for ${listOmps(users)}, and this session needs ${python}; wait until they end, set python.sharedGateway to false here, or stop it anyway: omp gateway stop --force`;
  return new KernelError({ kind: "unsupported", issue, code: "GATEWAY_OTHER_PYTHON" });
}

export function otherHostError({ host }: GatewayRecord): KernelError {
  const issue = `the shared gateway of this home runs on ${host}; give each machine its own OMP_HOME, or set python.sharedGateway to false here`;
  return new KernelError({ kind: "unsupported", issue, code: "GATEWAY_OTHER_HOST" });
}

export function exhaustedError({ pid }: GatewayRecord, users: readonly number[]): KernelError {
  const issue = `the shared gateway (pid ${pid}) has no file descriptors left, and ${listOmps(users)} still uses it; end that, or restart it for all: omp gateway stop --force`;
  return new KernelError({ kind: "exhausted", issue, code: "EMFILE" });
}

export function unhealthyError(directory: string): KernelError {
  const issue = `the shared gateway starts, but does not answer; its log: ${directory}/gateway.log`;
  return new KernelError({ kind: "start-failed", issue, code: "GATEWAY_UNHEALTHY" });
}

function listOmps(pids: readonly number[]): string {
  const unique = [...new Set(pids)];
  return unique.length === 1
    ? `another omp (pid ${unique[0]})`
    : `${unique.length} other omp (pids ${unique.join(", ")})`;
}
