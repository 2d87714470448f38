/** The python tool's prompt: a common part, and what depends on where its kernel runs. */

import prompt from "../../../prompts/tools/python.md" with { type: "text" };
import bridge from "../../../prompts/tools/python-bridge.md" with { type: "text" };
import elsewhere from "../../../prompts/tools/python-elsewhere.md" with { type: "text" };
import existing from "../../../prompts/tools/python-existing.md" with { type: "text" };
import helpers from "../../../prompts/tools/python-helpers.md" with { type: "text" };
import own from "../../../prompts/tools/python-own.md" with { type: "text" };

export interface PythonPromptOptions {
  /** In words, if kernels run where the project's files may be missing: `in the Jupyter gateway 'lab' (hub.example.org)`. */
  readonly elsewhere?: string | undefined;
  /** The connection file of an existing kernel. */
  readonly existing?: string | undefined;
  /** Whether the name `omp` is defined in an existing kernel. */
  readonly hasBridge?: boolean | undefined;
}

export function pythonPrompt(options: PythonPromptOptions): string {
  // omp defines no helpers in an existing kernel.
  if (options.existing !== undefined)
    return `${prompt}${options.hasBridge === true ? bridge : ""}\n${existing.replace("{location}", options.existing)}`;
  const where =
    options.elsewhere === undefined ? "" : `\n${elsewhere.replace("{location}", options.elsewhere)}`;
  return `${prompt}${bridge}${own}${where}\n${helpers}`;
}
