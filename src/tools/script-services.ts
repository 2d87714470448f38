/** What `exec` and `python_run` need from the session. Looked up at each call: a venv made by the last call counts. */

import type { ArtifactStore } from "../output/artifacts.ts";
import type { Interpreter, InterpreterSearch } from "../python/interpreter.ts";

export interface ScriptServices {
  /** Where the whole output is kept. */
  readonly artifacts: () => ArtifactStore | undefined;
  readonly findInterpreter: () => InterpreterSearch;
  /** The filtered environment, with the interpreter's own environment entered. */
  readonly environment: (interpreter: Interpreter | undefined) => Record<string, string>;
}
