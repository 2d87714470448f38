/**
 * `omp tool --batch`: one call per line, in order, in one session; one result per line as each call ends. A line that is not a call gets a
 * result as well, and the rest is still run.
 */

import { lines } from "../app/lines.ts";
import type { Services } from "../app/services.ts";
import { resultFields } from "../app/tool-call.ts";
import { switchedOffReason } from "../app/tool-choice.ts";
import { errorLine, type ToolResult } from "../protocol/index.ts";
import { isRecord } from "../protocol/record.ts";

export interface Batch {
  readonly services: Services;
  readonly stdin: ReadableStream<Uint8Array>;
  readonly signal: AbortSignal;
  readonly write: (line: string) => void;
  readonly call: (name: string, input: unknown) => Promise<ToolResult>;
}

type Request =
  | { readonly ok: true; readonly id: unknown; readonly name: string; readonly input: unknown }
  | { readonly ok: false; readonly id: unknown; readonly name: string | null; readonly problem: Problem };

interface Problem {
  readonly issue: string;
  readonly code: string;
}

/** The exit code: 2 when a line was not a call of a known tool, otherwise 1 when a result was an error. */
export async function runBatch({ services, stdin, signal, write, call }: Batch): Promise<number> {
  let malformed = false;
  let failed = false;
  let number = 0;
  for await (const line of lines(stdin, signal)) {
    number += 1;
    if (line.trim() === "") continue;
    const request = readRequest(line, services);
    const { id, name } = request;
    if (request.ok) {
      const result = await call(request.name, request.input);
      failed ||= result.isError;
      write(JSON.stringify({ id, name, ...resultFields(result) }));
    } else {
      malformed = true;
      const { issue, code } = request.problem;
      const output = errorLine({ operation: "omp tool", issue: `line ${number}: ${issue}`, code });
      write(JSON.stringify({ id, name, is_error: true, output, details: { line: number, code } }));
    }
    if (signal.aborted) break;
  }
  if (malformed) return 2;
  return failed ? 1 : 0;
}

/** `id` may be any JSON value and is returned as it was; null when the line has none or cannot be read. */
function readRequest(line: string, services: Services): Request {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch (error) {
    const issue = `not JSON: ${error instanceof Error ? error.message : String(error)}`;
    return { ok: false, id: null, name: null, problem: { issue, code: "INVALID_JSON" } };
  }
  if (!isRecord(parsed)) {
    const issue = 'not an object; expected {"id","name","input"}';
    return { ok: false, id: null, name: null, problem: { issue, code: "INVALID_INPUT" } };
  }
  const { id = null, name, input = {} } = parsed;
  if (typeof name !== "string") {
    const issue = `field 'name' ${name === undefined ? "is required" : "must be a string"}`;
    return { ok: false, id, name: null, problem: { issue, code: "INVALID_INPUT" } };
  }
  if (services.tools.get(name) === undefined) {
    const issue = switchedOffReason(name, services) ?? `unknown tool '${name}'`;
    return { ok: false, id, name, problem: { issue, code: "UNKNOWN_TOOL" } };
  }
  return { ok: true, id, name, input };
}
