/** The safe list against real bash: ten seeds of 2,000 commands each that hide a marker. A marker that runs is a failure. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TrapDirectory } from "../test/shell/safety/differential.ts";

const SEEDS = 10;
const COMMANDS = 2000;

const root = mkdtempSync(join(tmpdir(), "omp-bench-"));
try {
  const directory = new TrapDirectory(root);
  let wrongInAll = 0;
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { safe, wrong, stuck } = await directory.judge(seed, COMMANDS);
    wrongInAll += wrong.length;
    console.log(
      `seed ${seed}: ${COMMANDS} commands, ${safe} judged safe and run, ${wrong.length} with an effect, ${stuck.length} did not end`,
    );
    for (const command of wrong) console.log(`  ${JSON.stringify(command)}`);
  }
  console.log(`${SEEDS * COMMANDS} commands: ${wrongInAll} judged safe with an unseen effect`);
  if (wrongInAll > 0) process.exitCode = 1;
} finally {
  rmSync(root, { recursive: true, force: true });
}
