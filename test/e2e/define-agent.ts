/** An agent of the user's own whose model is a script: a call a turn, then its answer. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentPlace } from "./agent-place.ts";

export function defineAgent(
  omp: AgentPlace,
  name: string,
  calls: readonly { readonly name: string; readonly input: object }[],
  text: string,
): void {
  const folder = join(omp.place.home, ".omp", "agent", "agents");
  mkdirSync(folder, { recursive: true });
  const model = omp.script(...calls.map((call) => ({ toolCalls: [call] })), { text });
  writeFileSync(join(folder, `${name}.md`), `---\nmodel: ${model}\n---\nYou are ${name}.\n`);
}
