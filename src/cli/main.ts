/**
 * Where the program starts. `--version` is answered here, before anything is loaded: it is what scripts and shell
 * prompts call most, and the yardstick of our start-up time.
 */

import { version } from "../../package.json" with { type: "json" };

if (process.argv.length === 3 && (process.argv[2] === "--version" || process.argv[2] === "-V")) {
  // Not process.stdout: making that stream costs three times as much as all the rest.
  console.log(version);
} else if (process.platform === "win32") {
  console.error("omp: does not run on Windows; use WSL2 (UNSUPPORTED)");
  process.exitCode = 1;
} else {
  const { checkLimits } = await import("./limits.ts");
  const problem = checkLimits();
  if (problem === undefined) {
    const { runCli } = await import("./program.ts");
    process.exitCode = await runCli(process.argv.slice(2), version);
  } else {
    console.error(problem);
    process.exitCode = 2;
  }
}
