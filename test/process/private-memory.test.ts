import { expect, test } from "bun:test";
import { join } from "node:path";

test.if(process.platform === "linux")(
  "a process that keeps its memory private cannot be dumped, and its children can",
  () => {
    const { stdout } = Bun.spawnSync([process.execPath, join(import.meta.dir, "fixtures/private-omp.ts")]);
    expect(JSON.parse(stdout.toString())).toEqual({ before: 1, after: 0, child: 1 });
  },
);
