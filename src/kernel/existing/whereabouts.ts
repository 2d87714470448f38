/** Asks a kernel that is not ours where it is: one silent request without code, whose answer comes with the reply. */

import { asRecord } from "../../protocol/record.ts";
import { executeContent } from "../jupyter/client.ts";
import type { MessageContent } from "../kernel.ts";
import { originOf } from "../python/directory-origin.ts";
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
  const origin = originOf(directory);
  const text = ascii(JSON.stringify({ source, directory, origin: origin ?? null }));
  // A JSON string is a Python string literal, too. The dictionary is all that the code knows, and goes with it.
  const read = `__import__("json").loads(${JSON.stringify(text)})`;
  const call = 'space["whereabouts"](given["directory"], given["origin"])';
  const expression = `(lambda given, space: (exec(given["source"], space), ${call})[1])(${read}, {"__name__": "omp_whereabouts"})`;
  return executeContent("", { silent: true, userExpressions: { [KEY]: expression } });
}

/** Undefined when the kernel could not, or would not, say. */
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

/** IPython is slow with other characters in an expression. */
function ascii(text: string): string {
  return text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
