/** An earlier state of the persistent shell, given back to it. */

import { afterEach, expect, test } from "bun:test";
import { closeShells, runner, testShells } from "./open-shell.ts";

afterEach(closeShells);

test("directory, variables, functions and options go back; what was left running goes on, and EXIT traps do not run", async () => {
  const { shells, cwd } = testShells();
  const run = runner(shells);
  const nothing = await shells.state();
  await run("x=1; greet() { echo hi; }; set -o noglob");
  const early = await shells.state();
  await run("cd /; x=2; y=3; unset -f greet; set +o noglob; trap 'touch trapped' EXIT; sleep 60 & echo $!");
  const { stdout: job } = await run("echo $!");
  await shells.restore(early);
  const { stdout } = await run(
    `echo $x [$y] $(greet) $PWD; [[ -o noglob ]] && echo noglob; ls; kill -0 ${job}`,
  );
  expect(stdout).toBe(`1 [] hi ${cwd}\nnoglob\n`);
  await shells.restore(nothing);
  expect((await run("echo [$x] $PWD")).stdout).toBe(`[] ${cwd}\n`);
});
