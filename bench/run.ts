/** `npm run bench -- <name> [args]`: runs bench/<name>.ts; lists the benchmarks if no name is given. */

import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";

const notBenches = ["run.ts", "report.ts", "loopback-model.ts", "slow-model.ts", "seeded-runs.ts"];
const [name, ...args] = process.argv.slice(2);
const script = join(import.meta.dir, `${name}.ts`);

if (name === undefined || basename(name) !== name || !existsSync(script)) {
  const names = readdirSync(import.meta.dir)
    .filter((file) => file.endsWith(".ts") && !notBenches.includes(file))
    .map((file) => basename(file, ".ts"));
  console.error(`usage: npm run bench -- <${names.sort().join(" | ")}>`);
  process.exitCode = 2;
} else {
  const bench = Bun.spawn([process.execPath, script, ...args], { stdio: ["inherit", "inherit", "inherit"] });
  process.exitCode = await bench.exited;
}
