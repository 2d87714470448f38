/** `omp.inputs` of a cell: what there is, and pieces of it for a kernel that does not see the file. Not a call: nothing is run, and nothing logged. */

import type { UnknownRecord } from "../protocol/record.ts";
import { refusal } from "./limits.ts";

/** The session's large inputs. */
export interface InputSource {
  describe(): readonly UnknownRecord[];
  /** Undefined where there is none of that name, or its file is gone. */
  read(name: string, offset: number, length: number): Buffer | undefined;
}

export function answerInputs(
  source: InputSource | undefined,
  { name, offset, length }: UnknownRecord,
): UnknownRecord {
  if (typeof name !== "string") return { inputs: source?.describe() ?? [] };
  const from = typeof offset === "number" && offset >= 0 ? offset : 0;
  const piece = source?.read(name, from, typeof length === "number" && length > 0 ? length : 0);
  if (piece === undefined)
    return refusal(`omp.inputs.${name}`, "its file cannot be read any more", "INPUT_GONE");
  return { base64: piece.toString("base64") };
}
