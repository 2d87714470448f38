/** Asks an existing kernel where it is, and gives it the name `omp` if it should: one silent request without code, answered in its reply. */

import { asRecord } from "../../protocol/record.ts";
import { executeContent } from "../jupyter/client.ts";
import type { MessageContent } from "../kernel.ts";
import { attachExpression, callExpression, originOf } from "../python/init-code.ts";
import source from "../python/whereabouts.py" with { type: "text" };

const KEY = "omp";
const BRIDGE_KEY = "omp_bridge";
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

export interface LookOptions {
  /** The project's, as it is called here. */
  readonly directory: string;
  /** Whether cells may call omp. */
  readonly bridge: boolean;
}

/** The content of the execute_request. */
export function whereaboutsRequest({ directory, bridge }: LookOptions): MessageContent {
  const module = { source, function: "whereabouts", name: "omp_whereabouts" };
  const argument = JSON.stringify({ directory, origin: originOf(directory) ?? null });
  const userExpressions = {
    [KEY]: callExpression(module, argument),
    ...(bridge ? { [BRIDGE_KEY]: attachExpression() } : {}),
  };
  return executeContent("", { silent: true, userExpressions });
}

/** Why cells cannot call omp there, in a clause; undefined when they can, or should not. */
export function readBridgeProblem(reply: MessageContent): string | undefined {
  const answer = asRecord(reply["user_expressions"])[BRIDGE_KEY];
  if (answer === undefined) return undefined;
  const { data, ename, evalue } = asRecord(answer);
  const text = asRecord(data)["text/plain"];
  if (text === "None") return undefined;
  return typeof text === "string" ? text.replaceAll("'", "") : `${ename}: ${evalue}`;
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
