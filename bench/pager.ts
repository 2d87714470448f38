/**
 * The pager on a sparse file of 5 GB and on a log of 200 MB: `npm run bench -- pager`. There are limits on what users wait for;
 * background work is only reported.
 */

import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPagedFile } from "../src/ui/pager/paged-file.ts";
import { Pager } from "../src/ui/pager/pager.ts";
import { Report } from "./report.ts";

const directory = mkdtempSync(join(tmpdir(), "omp-bench-"));
const report = new Report("pager");

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function openPager(path: string): Promise<{ pager: Pager; ms: number }> {
  const start = performance.now();
  const pager = new Pager(await openPagedFile(path), { rows: 40, columns: 120 });
  await pager.open();
  return { pager, ms: performance.now() - start };
}

try {
  const sparse = join(directory, "sparse");
  const size = 5_000_000_000;
  const hole = openSync(sparse, "w", 0o600);
  ftruncateSync(hole, size);
  writeSync(hole, "\nthe end\n", size);
  closeSync(hole);
  const holes = await openPager(sparse);
  report.limit("5 GB sparse, open", { value: holes.ms, limit: 100, unit: "ms" });
  report.limit("5 GB sparse, to the end", {
    value: await timed(() => holes.pager.act({ kind: "end" })),
    limit: 200,
    unit: "ms",
  });
  await holes.pager.close();

  const log = join(directory, "log");
  const block = Array.from(
    { length: 10_000 },
    (_, at) => `2031-04-05 INFO a line of a log, number ${at}\n`,
  ).join("");
  const file = openSync(log, "w", 0o600);
  for (let written = 0; written < 200_000_000; written += block.length) writeSync(file, block);
  writeSync(file, "needle\n");
  closeSync(file);
  const lines = await openPager(log);
  report.limit("200 MB log, open", { value: lines.ms, limit: 100, unit: "ms" });
  report.limit("200 MB log, page down", {
    value: await timed(() => lines.pager.act({ kind: "pages", by: 1 })),
    limit: 16,
    unit: "ms",
  });
  const before = process.memoryUsage.rss();
  const indexMs = await timed(() => lines.pager.indexInBackground());
  report.note("200 MB log, all lines counted", `${indexMs.toFixed(0)} ms`);
  report.limit("200 MB log, to a line in its middle", {
    value: await timed(() => lines.pager.act({ kind: "line", line: 2_000_000 })),
    limit: 50,
    unit: "ms",
  });
  const searchMs = await timed(() =>
    lines.pager.act({ kind: "search", text: "needle", direction: "forward" }),
  );
  report.note("200 MB log, search to its end", `${searchMs.toFixed(0)} ms`);
  report.limit("memory for all of this", {
    value: (process.memoryUsage.rss() - before) / 1e6,
    limit: 50,
    unit: "MB",
  });
  await lines.pager.close();
} finally {
  rmSync(directory, { recursive: true, force: true });
}
process.exitCode = report.print();
