/** `bun read-in-process.ts <cwd> <input>…`: reads, and tells for each how much memory the process had grown by at most. */

import { readFileSync } from "node:fs";
import { fileTools } from "../../../src/tools/files/index.ts";
import { ToolRegistry } from "../../../src/tools/registry.ts";

const [cwd = ".", ...inputs] = process.argv.slice(2);
const tools = new ToolRegistry(
  fileTools({ artifacts: () => undefined, home: cwd, searchPath: process.env["PATH"], cache: cwd }),
);

/** The highest resident size so far. */
function peakMb(): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;
}

const before = peakMb();
for (const input of inputs) {
  const { output } = await tools.run("read", JSON.parse(input), {
    sessionId: "test",
    cwd,
    projectRoot: cwd,
    signal: new AbortController().signal,
    onUpdate: () => undefined,
  });
  console.log(JSON.stringify({ output, grownMb: peakMb() - before }));
}
