/** What can be wrong with the shared gateway, each with what to do about it. */

import { OmpError, systemCode } from "../../../protocol/index.ts";
import { KernelError } from "../../errors.ts";
import type { GatewayRecord } from "./record.ts";

/** The system's own errors, in words; everything else as it is. */
export function explained(error: unknown, directory: string): unknown {
  const code = systemCode(error);
  if (code === undefined || error instanceof OmpError || code.startsWith("ERR_")) return error;
  const why = reasons[code] ?? "it cannot be used";
  const issue = `the shared gateway cannot be coordinated in ${directory}: ${why}`;
  return new KernelError({ kind: "start-failed", issue, code }, { cause: error });
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; free some space, or set OMP_HOME to another disk",
  EDQUOT: "the disk quota is used up; free some space, or set OMP_HOME to another disk",
  EFBIG: "files may not grow any more (ulimit -f)",
  EROFS: "the disk is read-only; set OMP_HOME to another one",
  EACCES: "it may not be written; correct its permissions, or set OMP_HOME to another directory",
  EPERM: "it may not be written; correct its permissions, or set OMP_HOME to another directory",
  ENOTDIR: "something that is no directory is in the way",
  EEXIST: "something that is no directory is in the way",
  EMFILE: "this omp has too many open files",
};

export function otherPython(record: GatewayRecord, users: readonly number[], python: string): KernelError {
  const issue = `the shared gateway runs ${record.python} for ${people(users)}, and here it would be ${python}; wait until they end, or set python.sharedGateway to false here, or take it from them: omp gateway stop --force`;
  return new KernelError({ kind: "unsupported", issue, code: "GATEWAY_OTHER_PYTHON" });
}

export function otherHost({ host }: GatewayRecord): KernelError {
  const issue = `the shared gateway of this home runs on ${host}; give each machine its own OMP_HOME, or set python.sharedGateway to false here`;
  return new KernelError({ kind: "unsupported", issue, code: "GATEWAY_OTHER_HOST" });
}

export function exhausted({ pid }: GatewayRecord, users: readonly number[]): KernelError {
  const issue = `the shared gateway (pid ${pid}) has no file descriptors left, and ${people(users)} still uses it; end that, or restart it for all: omp gateway stop --force`;
  return new KernelError({ kind: "exhausted", issue, code: "EMFILE" });
}

export function unhealthy(directory: string): KernelError {
  const issue = `the shared gateway starts, and does not answer; its log: ${directory}/gateway.log`;
  return new KernelError({ kind: "start-failed", issue, code: "GATEWAY_UNHEALTHY" });
}

/** Whether a gateway's answer means that it has run out of descriptors. */
export function meansNoDescriptors({
  status,
  text,
}: {
  readonly status: number;
  readonly text: string;
}): boolean {
  return status >= 500 && /Too many open files|Errno 24\b|EMFILE|ENFILE/i.test(text);
}

function people(pids: readonly number[]): string {
  const unique = [...new Set(pids)];
  return unique.length === 1
    ? `another omp (pid ${unique[0]})`
    : `${unique.length} other omp (pids ${unique.join(", ")})`;
}
