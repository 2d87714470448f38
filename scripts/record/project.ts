/** A small project to record in: a table of orders, a module with a bug, and a test that finds it. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILES = {
  "growth.py": `def growth(values):
    """How much more the last value is than the first, as a part of the first."""
    return (values[-1] - values[0]) / values[-1]
`,
  "test_growth.py": `import unittest

from growth import growth


class GrowthTest(unittest.TestCase):
    def test_doubled(self):
        self.assertEqual(growth([50, 70, 100]), 1)
`,
  "orders.csv": ["month,region,revenue", ...orders()].join("\n"),
};

/** @returns its directory, in the home */
export function makeProject(home: string): string {
  const project = join(home, "shop");
  mkdirSync(join(project, "build"), { recursive: true });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(project, name), text);
  const git = (...args: readonly string[]) =>
    Bun.spawnSync(["git", "-c", "user.name=you", "-c", "user.email=you@example.com", ...args], {
      cwd: project,
      env: { PATH: process.env["PATH"], HOME: home },
    });
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-q", "-m", "first version");
  return project;
}

function orders(): string[] {
  const months = Array.from({ length: 12 }, (_, index) => index);
  const regions = {
    north: (month: number) => 100 + 10 * month,
    south: (month: number) => 140 - 2 * month,
    west: (month: number) => 90 + 5 * month + (month % 3) * 6,
  };
  return months.flatMap((month) =>
    Object.entries(regions).map(
      ([region, revenue]) => `2026-${String(month + 1).padStart(2, "0")}-01,${region},${revenue(month)}`,
    ),
  );
}
