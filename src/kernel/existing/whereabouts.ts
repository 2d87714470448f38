/** Asks an existing kernel where it is: one silent request without code, answered in its reply. */

import { asRecord } from "../../protocol/record.ts";
import { executeContent } from "../jupyter/client.ts";
import type { MessageContent } from "../kernel.ts";
import { callExpression, originOf } from "../python/init-code.ts";
import source from "../python/whereabouts.py" with { type: "text" };

const KEY = "omp";
const MIME = "application/x-omp-whereabouts";

export interface Whereabouts {
  readonly python: string;
  readonly executable: string;
  readonly ipykernel: string | undefined;
  readonly pid: number;
  readonly host: string;
  readonly cwd: string;
  readonly seesOurFiles: boolean;
}

/** The content of the execute_request. @param directory the project's, as it is called here. */
export function whereaboutsRequest(directory: string): MessageContent {
  const module = { source, function: "whereabouts", name: "omp_whereabouts" };
  const argument = JSON.stringify({ directory, origin: originOf(directory) ?? null });
  return executeContent("", { silent: true, userExpressions: { [KEY]: callExpression(module, argument) } });
}

/** Undefined when the kernel did not say. */
export function readWhereabouts(reply: MessageContent): Whereabouts | undefined {
  const found = asRecord(asRecord(asRecord(asRecord(reply["user_expressions"])[KEY])["data"])[MIME]);
  const { python, executable, ipykernel, pid, host, cwd, seesOurFiles } = found;
  if (typeof cwd !== "string" || typeof host !== "string" || typeof python !== "string") return undefined;
  return {
    python,
    executable: typeof executable === "string" ? executable : "",
    ipykernel: typeof ipykernel === "string" ? ipykernel : undefined,
    pid: typeof pid === "number" ? pid : 0,
    host,
    cwd,
    seesOurFiles: seesOurFiles === true,
  };
}
