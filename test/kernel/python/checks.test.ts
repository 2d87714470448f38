/**
 * The Python side of the kernel, in real kernels of every ipykernel that we support, driven by jupyter_client. The checks are
 * Python functions (`check_…` in `*_checks.py`); each is a test here, named by its name.
 */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { slow } from "../../support/limits.ts";
import { describeWithPython, pythonsUnderTest, type TestPython } from "../../support/python.ts";

const directory = import.meta.dir;
const drivers = ["order", "stream", "volume", "boot", "prelude", "fork_server"];
/** The first check of a driver waits for all of them. */
const driverLimitMs = slow(90, "a driver runs all its checks at once");

interface CheckOutcome {
  check: string;
  problem: string | null;
}

for (const python of pythonsUnderTest) {
  for (const driver of drivers) {
    describeWithPython(
      python,
      `${driver} with ${python.name}`,
      () => defineChecks(python, `${driver}_checks`),
      ["jupyter_client", "matplotlib"],
    );
  }
}

function defineChecks(python: TestPython, driver: string): void {
  let outcomes: Promise<Map<string, string | null>> | undefined;
  for (const check of checksOf(driver)) {
    test(
      check.replace("check_", "").replaceAll("_", " "),
      async () => {
        outcomes ??= runDriver(python, driver);
        expect((await outcomes).get(check)).toBeNull();
      },
      driverLimitMs,
    );
  }
}

function checksOf(driver: string): string[] {
  const source = readFileSync(join(directory, `${driver}.py`), "utf8");
  return [...source.matchAll(/^def (check_\w+)/gm)].map((match) => match[1] ?? "");
}

/** One process for all checks of a file, as most of them share a kernel. */
async function runDriver(python: TestPython, driver: string): Promise<Map<string, string | null>> {
  const child = Bun.spawn([python.path, join(directory, "run_checks.py"), driver], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
    timeout: driverLimitMs,
  });
  const output = await new Response(child.stdout).text();
  const outcomes = output
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as CheckOutcome);
  return new Map(outcomes.map(({ check, problem }) => [check, problem]));
}

describe("the checks", () => {
  test("are found in every driver", () => {
    for (const driver of drivers) expect(checksOf(`${driver}_checks`)).not.toBeEmpty();
  });
});
