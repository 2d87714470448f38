/** What to do about `ModuleNotFoundError`: one line with the exact command for the interpreter that was used. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { shellQuote } from "../format/shell-quote.ts";
import { findOnPath } from "../python/executable.ts";
import type { Interpreter } from "../python/interpreter.ts";

/** Where the package is called something else than the module. */
const packageNames: Readonly<Record<string, string>> = {
  bs4: "beautifulsoup4",
  cv2: "opencv-python",
  dateutil: "python-dateutil",
  docx: "python-docx",
  dotenv: "python-dotenv",
  fitz: "PyMuPDF",
  PIL: "Pillow",
  pptx: "python-pptx",
  serial: "pyserial",
  skimage: "scikit-image",
  sklearn: "scikit-learn",
  yaml: "PyYAML",
};

export interface MissingModule {
  /** The end of what the script wrote to stderr. */
  readonly stderr: string;
  readonly interpreter: Interpreter;
  readonly env: Record<string, string>;
  readonly cwd: string;
  /** The code ran from a temporary file, whose directory is where Python looks for modules first. */
  readonly fromCode: boolean;
}

export function missingModuleHint(failure: MissingModule): string | undefined {
  const name = /^ModuleNotFoundError: No module named '([\w.]+)'/m.exec(failure.stderr)?.[1];
  const module = name?.split(".")[0];
  if (module === undefined) return undefined;
  if (failure.fromCode && isLocal(failure.cwd, module)) {
    return `Hint: '${module}' is in the working directory; to import it, start the code with: import sys; sys.path.insert(0, "")`;
  }
  return `Hint: module '${module}' is not installed for this interpreter; install it with: ${installCommand(failure, packageNames[module] ?? module)}`;
}

function isLocal(cwd: string, module: string): boolean {
  return existsSync(join(cwd, `${module}.py`)) || existsSync(join(cwd, module));
}

function installCommand({ interpreter, env, cwd }: MissingModule, name: string): string {
  const python = shellQuote(interpreter.path);
  // uv makes environments without pip.
  const lacksPip = interpreter.venv !== undefined && !existsSync(join(interpreter.venv, "bin", "pip"));
  if (lacksPip && findOnPath("uv", { env, cwd }) !== undefined)
    return `uv pip install --python ${python} ${name}`;
  return `${python} -m pip install ${name}`;
}
