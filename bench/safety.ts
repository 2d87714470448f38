/**
 * The command check against real bash, ten seeds of commands that hide a marker. Those that are judged safe are run among traps: a marker
 * that runs is a failure. Others are run inside bubblewrap: where the marker ran, following the command must have seen it.
 */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readShell } from "../src/shell/safety/find-danger.ts";
import { TrapDirectory } from "../test/shell/safety/differential.ts";
import { HiddenCommands } from "../test/shell/safety/hidden-commands.ts";
import { canBeFollowed, PREFIX, runMarked } from "../test/shell/safety/marked-runs.ts";

const SEEDS = 10;
const COMMANDS = 2000;
const FOLLOWED = 200;

const root = mkdtempSync(join(tmpdir(), "omp-bench-"));
try {
  mkdirSync(join(root, "traps"));
  const directory = new TrapDirectory(join(root, "traps"));
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
  if (Bun.which("bwrap") === null) console.log("following: not measured, as there is no bubblewrap");
  else await measureFollowing();
} finally {
  rmSync(root, { recursive: true, force: true });
}

async function measureFollowing(): Promise<void> {
  const commands: string[] = [];
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const maker = new HiddenCommands(1000 + seed);
    for (let left = FOLLOWED; left > 0; ) {
      const command = maker.make();
      if (!canBeFollowed(command)) continue;
      commands.push(command);
      left -= 1;
    }
  }
  const place = mkdtempSync(join(root, "marked-"));
  const ran = await runMarked(commands, place);
  const unseen = [...ran].filter((command) => {
    const { commands: followed } = readShell(PREFIX + command, { home: "/tmp/0", cwd: "/tmp/0" });
    return !followed.some(({ argv }) => /(?:^|\/)mark$/.test(argv[0] ?? ""));
  });
  console.log(
    `following: of ${commands.length} commands ${ran.size} ran the marker, ${unseen.length} of them unseen`,
  );
  if (unseen.length > 0) process.exitCode = 1;
  for (const command of unseen) console.log(`  ${JSON.stringify(command)}`);
}
