/** The first start: what was found, what is missing, one line how to add a model; and the prompt at once. */

import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { hasIdleKernel } from "../support/at-rest.ts";
import { type TestPlace, temporaryPlace } from "../support/home.ts";
import { describeWithPython, testPython } from "../support/python.ts";
import { openScreen, type Screen } from "../support/screen.ts";

const addModel =
  "No model is configured, so this is the built-in demo. To use a model, set ANTHROPIC_API_KEY, OPENAI_API_KEY or another key and restart; omp models lists them all.";

/** Lines are broken by the width. */
const flat = ({ text }: Screen) => text.replace(/\s+/g, " ");

/** What omp needs itself, and no Python. */
function pathWithoutPython(place: TestPlace): string {
  const directory = join(place.home, "bin");
  mkdirSync(directory);
  for (const name of ["env", "sh", "bash", "bun", "git", "uname", "cat"]) {
    const found = Bun.which(name) ?? (name === "bun" ? process.execPath : undefined);
    if (found) symlinkSync(found, join(directory, name));
  }
  return directory;
}

const sizes = [
  { columns: 80, rows: 24 },
  { columns: 40, rows: 15 },
];

describeWithPython(testPython, "the first start", () => {
  test.each(sizes)("with a Python that works, $columns × $rows", async ({ columns, rows }) => {
    const place = temporaryPlace();
    const env = { VIRTUAL_ENV: testPython.venv };
    const screen = openScreen({ place, env, columns, rows });
    await screen.waitFor(hasIdleKernel);
    const all = screen.allText.replace(/\s+/g, " ");
    expect(all).toMatch(
      /Welcome\. Found on this machine: Python 3\.\d+\.\d+ .*; .* Model none yet Try \/demo/,
    );
    expect(all).toContain(addModel);
    // A checkout far down the disk has its interpreter's path broken anywhere.
    const unbroken = screen.allText.replace(/\s+/g, "");
    expect(unbroken).toContain(`;${join(testPython.venv, "bin", "python")}Modelnoneyet`);
    screen.type("$1 + 1\r");
    await screen.waitFor(/^ {2}2$/m);
  });
});

describe.each(sizes)("$columns × $rows", ({ columns, rows }) => {
  test("without Python", async () => {
    const place = temporaryPlace();
    const env = { PATH: pathWithoutPython(place), VIRTUAL_ENV: undefined };
    const screen = openScreen({ place, env, columns, rows });
    await screen.waitFor(/no Python +demo/);
    const all = screen.allText.replace(/\s+/g, " ");
    expect(all).toContain("install Python 3, then run: omp setup (PYTHON_NOT_FOUND)");
    expect(all).toContain("Python none that works (see above) Model none yet");
    expect(all).toContain(addModel);
    screen.type("!echo works\r");
    await screen.waitFor(/^ {2}works$/m);
  });
});

test("with Python switched off", async () => {
  const screen = openScreen({ place: temporaryPlace(), env: { PI_PY: "0" } });
  await screen.waitFor(/no Python +demo/);
  expect(flat(screen)).toContain(
    "Python switched off Model none yet Try /demo for a tour, !ls in the shell, /help",
  );
  expect(flat(screen)).not.toContain("PYTHON_NOT_FOUND");
});

test("with a key", async () => {
  const env = { PI_PY: "0", ANTHROPIC_API_KEY: "none" };
  const screen = openScreen({ place: temporaryPlace(), env });
  await screen.waitFor(/no Python +anthropic\//);
  expect(screen.text).toMatch(/ {2}Model {3}anthropic\/\S+\n/);
  expect(screen.text).not.toContain("No model is configured");
});

test("the second start says only what is missing", async () => {
  const place = temporaryPlace();
  const first = openScreen({ place, env: { PI_PY: "0" } });
  await first.waitFor("Welcome.");
  first.type("!true\r");
  await first.waitFor("✓ bash");
  first.type("\x04");
  await first.ended();
  const second = openScreen({ place, env: { PI_PY: "0" } });
  await second.waitFor(/no Python +demo/);
  expect(flat(second)).toContain(addModel);
  expect(second.text).not.toContain("Welcome.");
});

test("what is typed while everything starts runs when it can", async () => {
  const screen = openScreen({ place: temporaryPlace(), env: { PI_PY: "0" } });
  screen.type("!echo early\r");
  await screen.waitFor(/^ {2}early$/m);
});
