import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { countOomKills } from "../../src/process/oom-kills.ts";
import { temporaryDirectory } from "../support/home.ts";

test("kills for want of memory are counted by group, else for the machine, else not at all", () => {
  const root = temporaryDirectory();
  const counters = {
    ownGroup: join(root, "cgroup"),
    groups: join(root, "groups"),
    machine: join(root, "vmstat"),
  };
  expect(countOomKills(counters)).toBe(0);
  writeFileSync(counters.machine, "nr_free_pages 12\noom_kill 7\n");
  expect(countOomKills(counters)).toBe(7);
  writeFileSync(counters.ownGroup, "0::/user.slice/omp\n");
  expect(countOomKills(counters)).toBe(7);
  mkdirSync(join(counters.groups, "user.slice/omp"), { recursive: true });
  writeFileSync(join(counters.groups, "user.slice/omp/memory.events"), "oom 4\noom_kill 3\n");
  expect(countOomKills(counters)).toBe(3);
});
