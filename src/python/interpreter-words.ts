/** An interpreter and the search for it in words: for people and for the model. */

import { basename } from "node:path";
import type { Interpreter, InterpreterSearch, InterpreterSource } from "./interpreter.ts";

/** `/project/.venv/bin/python (from /project/.venv)`. */
export function describeInterpreter(found: Interpreter): string {
  return `${found.path} (${interpreterReason(found)})`;
}

/** Why this one: `from /project/.venv`. */
export function interpreterReason({ source, venv, conda }: Interpreter): string {
  const environment = venv ?? conda;
  switch (source) {
    case "setting":
      return "from the setting python.interpreter";
    case "VIRTUAL_ENV":
    case "CONDA_PREFIX":
    case "PATH":
      return `from ${source}`;
    case ".venv":
    case "venv":
    case ".pixi":
      return `from ${environment ?? source}`;
    case "poetry":
    case "uv":
      return `from ${source}: ${environment ?? "its environment"}`;
    case "managed":
      return "the managed environment";
    case "kernelspec":
      return "from the kernelspec";
  }
}

/** In a word, for the status line: `.venv`, `base`, `managed`. */
export function interpreterLabel({ source, venv, conda }: Interpreter): string {
  const environment = venv ?? conda;
  if (source === "managed" || source === "poetry" || source === "uv") return source;
  if (source === ".pixi") return "pixi";
  if (environment !== undefined) return basename(environment);
  return source === "setting" ? "python.interpreter" : source;
}

/** One line for each candidate that was not taken. */
export function describeTried(search: InterpreterSearch): string[] {
  return search.tried.map(({ source, path, problem }) => `${sourceLabel(source)}: ${path} ${problem}`);
}

function sourceLabel(source: InterpreterSource): string {
  if (source === "setting") return "python.interpreter";
  if (source === "kernelspec") return "python.kernelSpec";
  return source === "managed" ? "managed environment" : source;
}
