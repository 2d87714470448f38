/** Calls of our own functions in a kernel that has booted: keep.py and restore.py. No counter moves, and no name is left behind. */

import { asRecord, type UnknownRecord } from "../../protocol/record.ts";
import type { Kernel } from "../kernel.ts";
import { variablesExpression } from "../python/init-code.ts";

const KEY = "omp";
const LOADED_KEY = "loaded";

/** Kernels that have what is called here. */
const prepared = new WeakSet<object>();

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** A call that came to nothing: the message is a clause. */
export class CallFailed extends Error {}

/** @param mime what the answer comes as. Throws CallFailed, and KernelError when the kernel ends first. */
export async function callKernel(
  kernel: Pick<Kernel, "execute">,
  [module, name, mime]: readonly [module: string, name: string, mime: string],
  argument: object,
  { signal }: CallOptions = {},
): Promise<UnknownRecord> {
  // A JSON string is a Python string literal, too; ASCII, because IPython is slow with other characters in an expression.
  const text = JSON.stringify(JSON.stringify(argument)).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const expression = `__import__("sys").modules["_omp.${module}"].${name}(${text})`;
  let reply: UnknownRecord = {};
  // In this order: a dict keeps it.
  const loading = prepared.has(kernel) ? {} : { [LOADED_KEY]: variablesExpression() };
  const userExpressions = { ...loading, [KEY]: expression };
  for await (const message of kernel.execute("", {
    silent: true,
    userExpressions,
    ...(signal && { signal }),
  }))
    if (message.header.msg_type === "execute_reply") reply = message.content;
  const answer = asRecord(asRecord(reply["user_expressions"])[KEY]);
  const result = asRecord(answer["data"])[mime];
  if (result !== undefined) {
    prepared.add(kernel);
    return asRecord(result);
  }
  const problem = answer["ename"] === undefined ? reply : answer;
  throw new CallFailed(
    `${problem["ename"] ?? "no answer"}: ${problem["evalue"] ?? "the kernel did not say why"}`,
  );
}
