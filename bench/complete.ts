/**
 * `@` completion over many paths: how long a key press waits, and how long until the answer is complete:
 * `npm run bench -- complete [paths]`. Users could notice the longest slice; the complete answer may take longer.
 */

import { FileSearch } from "../src/ui/complete/file-search.ts";
import { PathTable } from "../src/ui/complete/path-table.ts";
import { median, Report } from "./report.ts";

const count = Number(process.argv[2] ?? 100_000);
const folders = [
  "src",
  "test",
  "packages/core",
  "vendor/github.com/some-org/some-repository",
  "docs/reference",
];
const words = [
  "editor",
  "kernel",
  "session",
  "Transport",
  "history",
  "message",
  "pager",
  "terminal",
  "image",
  "index",
];

function pathOf(at: number): string {
  const word = (by: number): string => words[Math.floor(at / by) % words.length] ?? "";
  return `${folders[at % folders.length]}/${word(7)}/${word(70)}-${word(700)}/${word(3)}_${at}.ts`;
}

const report = new Report(`complete, ${count} paths`);
const table = new PathTable();
const fillStart = performance.now();
for (let at = 0; at < count; at++) table.add(pathOf(at));
report.note("fill the table", `${(performance.now() - fillStart).toFixed(0)} ms`);

const typed = "srckernhist_9";
const search = new FileSearch(table);
const slices: number[] = [];
const wholes: number[] = [];
const firsts: number[] = [];

/** CPU time of this thread: a slice is judged by its own work, independent of the load of the machine. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Types the query letter by letter, and times every slice between two turns of the event loop. */
async function typeAll(): Promise<void> {
  for (let length = 1; length <= typed.length; length++) {
    const keyAt = performance.now();
    let sliceAt = cpuMs();
    let isFirst = true;
    for await (const _ of search.search(typed.slice(0, length))) {
      const now = performance.now();
      slices.push(cpuMs() - sliceAt);
      if (isFirst) firsts.push(now - keyAt);
      isFirst = false;
      sliceAt = cpuMs();
    }
    wholes.push(performance.now() - keyAt);
  }
}

await typeAll();
for (const list of [slices, wholes, firsts]) list.length = 0;
for (let round = 0; round < 10; round++) await typeAll();

const sorted = [...slices].sort((a, b) => a - b);
report.limit("longest slice, 99 of 100", {
  value: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
  limit: 10,
  unit: "ms",
});
report.limit("first answer, median", { value: median(firsts), limit: 10, unit: "ms" });
report.limit("whole answer, median", { value: median(wholes), limit: 10, unit: "ms" });
report.note("whole answer, worst", `${Math.max(...wholes).toFixed(1)} ms`);
process.exitCode = report.print();
