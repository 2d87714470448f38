/**
 * Writes prompts/tools/python-helpers.md: the prelude's helpers as a kernel describes them by introspection.
 * `bun scripts/python-helpers.ts [python]`; a test fails when it has to be run.
 */

import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import type { KernelFacts } from "../src/kernel/kernel.ts";
import { LocalKernels } from "../src/kernel/local/local-kernels.ts";

export const helpersFile = resolve(import.meta.dir, "../prompts/tools/python-helpers.md");

export function helpersText(helpers: KernelFacts["helpers"]): string {
  const lines = helpers.map(({ signature, summary }) => `- \`${signature}\`: ${summary}`);
  return `Ready in every cell:\n\n${lines.join("\n")}\n`;
}

if (import.meta.main) {
  const kernels = new LocalKernels({
    python: process.argv[2] ?? resolve(import.meta.dir, "../.venv/bin/python"),
    env: { PATH: process.env["PATH"] ?? "" },
    transport: "auto",
    useForkServer: false,
    startTimeoutMs: 60_000,
    runtimeBases: [tmpdir()],
    extensionModules: () => [],
  });
  const kernel = await kernels.start({ cwd: tmpdir() });
  writeFileSync(helpersFile, helpersText(kernel.facts.helpers));
  await kernels.close();
}
