/** What a model reads of the python tool: the same everywhere, and what is different where its kernel is. */

import prompt from "../../../prompts/tools/python.md" with { type: "text" };
import elsewhere from "../../../prompts/tools/python-elsewhere.md" with { type: "text" };
import existing from "../../../prompts/tools/python-existing.md" with { type: "text" };
import helpers from "../../../prompts/tools/python-helpers.md" with { type: "text" };
import own from "../../../prompts/tools/python-own.md" with { type: "text" };

export interface PromptPlace {
  /** In words, when kernels run where the project's files need not be: `in the Jupyter gateway 'lab' (hub.example.org)`. */
  readonly elsewhere?: string | undefined;
  /** The connection file of a kernel that was running before, and is somebody else's. */
  readonly existing?: string | undefined;
}

export function pythonPrompt(place: PromptPlace): string {
  // omp puts nothing into somebody else's kernel: no helpers there.
  if (place.existing !== undefined) return `${prompt}\n${existing.replace("{place}", place.existing)}`;
  const where = place.elsewhere === undefined ? "" : `\n${elsewhere.replace("{place}", place.elsewhere)}`;
  return `${prompt}${own}${where}\n${helpers}`;
}
