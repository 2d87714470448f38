/** How long `npm start` takes to find that nothing is left to set up, as reported by itself. */

import { join, resolve } from "node:path";
import { median, Report } from "./report.ts";

const root = resolve(import.meta.dir, "..");
const ROUNDS = 20;

async function start(): Promise<{ ms: number; toDo: string }> {
  const child = Bun.spawn(["node", join(root, "scripts", "start.mjs"), "--version"], {
    env: { ...process.env, PI_DEBUG_STARTUP: "1", INIT_CWD: root },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  const said = await new Response(child.stderr).text();
  const match = /checked in ([\d.]+) ms; to do: (.*)/.exec(said);
  if ((await child.exited) !== 0 || match === null) throw new Error(`npm start failed: ${said}`);
  return { ms: Number(match[1]), toDo: match[2] ?? "" };
}

await start();
const times: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const { ms, toDo } = await start();
  if (toDo !== "nothing") throw new Error(`a second start still had to do: ${toDo}`);
  times.push(ms);
}
const report = new Report(`set-up, median of ${ROUNDS}`);
report.limit("checking that nothing is left to do", { value: median(times), limit: 100, unit: "ms" });
process.exitCode = report.print();
